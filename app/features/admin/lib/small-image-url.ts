import { IMAGE_PATH_PREFIX } from '#shared/polls/constants.ts';
import { normalizeImagePath, smallImagePath } from '#shared/polls/rules.ts';

/** The URL of an image in its small size, from its stored path. Placeholders have only one size. */
export function smallImageUrl(storedPath: string): string {
  const path = normalizeImagePath(storedPath);
  return path.startsWith(IMAGE_PATH_PREFIX) ? smallImagePath(path) : path;
}
