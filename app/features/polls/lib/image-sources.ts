import { IMAGE_LARGE_PX, IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { smallImagePath } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';

/**
 * The `srcset` of an uploaded image. `IMAGE_SMALL_PX` and `IMAGE_LARGE_PX` limit the longer side; as images are shown cropped to
 * squares, the width descriptors are lengths of the shorter side. An image of unknown size is treated as a square.
 */
export function sourceSet(path: string, size: Poll['option1Size']): string {
  const aspectRatio =
    size === null ? 1 : Math.min(size.width, size.height) / Math.max(size.width, size.height);
  const smallWidth = Math.max(1, Math.round(IMAGE_SMALL_PX * aspectRatio));
  const largeWidth = Math.max(smallWidth + 1, Math.round(IMAGE_LARGE_PX * aspectRatio));
  return `${smallImagePath(path)} ${smallWidth}w, ${path} ${largeWidth}w`;
}
