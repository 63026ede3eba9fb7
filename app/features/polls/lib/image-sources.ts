import { IMAGE_LARGE_PX, IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';

/** Uploaded images exist in two sizes, of which perhaps only one is cached on the device. */
export function imageUrls(path: string, isUploaded: boolean): string[] {
  return isUploaded ? [path, `${path}?w=${IMAGE_SMALL_PX}`] : [path];
}

/** The widths are those of the shorter side, which fills the square. */
export function sourceSet(path: string, size: Poll['option1Size']): string | undefined {
  const shape = size === null ? 1 : Math.min(size.width, size.height) / Math.max(size.width, size.height);
  const small = Math.max(1, Math.round(IMAGE_SMALL_PX * shape));
  const large = Math.max(small + 1, Math.round(IMAGE_LARGE_PX * shape));
  return `${path}?w=${IMAGE_SMALL_PX} ${small}w, ${path} ${large}w`;
}
