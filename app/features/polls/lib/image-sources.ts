import { IMAGE_LARGE_PX, IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';

/** The URLs of an image, in the order in which they are tried. Uploaded images have two sizes; the device may have cached only one. */
export function imageUrls(path: string, isUploaded: boolean): string[] {
  return isUploaded ? [path, `${path}?w=${IMAGE_SMALL_PX}`] : [path];
}

/**
 * The `srcset` of an uploaded image. A stored size is the length of the longer side, but images are cropped to squares: the widths
 * are those of the shorter side. An image of unknown size is taken for a square.
 */
export function sourceSet(path: string, size: Poll['option1Size']): string {
  const shape = size === null ? 1 : Math.min(size.width, size.height) / Math.max(size.width, size.height);
  const small = Math.max(1, Math.round(IMAGE_SMALL_PX * shape));
  const large = Math.max(small + 1, Math.round(IMAGE_LARGE_PX * shape));
  return `${path}?w=${IMAGE_SMALL_PX} ${small}w, ${path} ${large}w`;
}
