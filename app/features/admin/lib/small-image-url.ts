import { IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { normalizeImagePath } from '#shared/polls/rules.ts';

/** The URL of an image in its small size, from its stored path. Placeholders have only one size. */
export function smallImageUrl(storedPath: string): string {
  const path = normalizeImagePath(storedPath);
  return path.startsWith('/uploads/') ? `${path}?w=${IMAGE_SMALL_PX}` : path;
}
