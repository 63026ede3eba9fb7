import { BULK_FILES_MAX, EVEN_COUNT_ONLY, IMAGES_ONLY, NO_FILES } from '#shared/admin/constants.ts';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';

const PICTURE_NAME = /\.(jpe?g|png|gif|webp|heic|heif|avif)$/i;
const TAKEN_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** What is lighter goes as it is. A hundred of these arrive in the server’s two minutes over some 2 Mbit/s. */
const LIGHT_BYTES = 300_000;

type Chosen = Pick<File, 'name' | 'type' | 'size'>;

function isPicture({ name, type }: Chosen): boolean {
  return type === '' ? PICTURE_NAME.test(name) : type.startsWith('image/');
}

/** Those of the chosen files that are pictures and still fit, and what is to be said about the others. */
export function keepPictures<Item extends Chosen>(
  chosen: readonly Item[],
  already: number,
): { kept: Item[]; error: string | null } {
  const pictures = chosen.filter(isPicture);
  const kept = pictures.slice(0, Math.max(0, BULK_FILES_MAX - already));
  if (pictures.length < chosen.length) return { kept, error: IMAGES_ONLY };
  return { kept, error: kept.length < pictures.length ? `At most ${BULK_FILES_MAX} images at once` : null };
}

/** Why so many pictures cannot become polls; null when they can. */
export function countProblem(count: number): string | null {
  if (count === 0) return NO_FILES;
  return count % 2 === 0 ? null : EVEN_COUNT_ONLY;
}

/** The list with the item at `from` moved to `to`; as it is where there is no such place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return items;
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}

export function isTooHeavy({ size }: Chosen): boolean {
  return size > IMAGE_MAX_BYTES;
}

/** Whether the server takes such a picture, and so much of it. */
export function isTakenAsItIs(file: Chosen): boolean {
  return TAKEN_TYPES.includes(file.type) && !isTooHeavy(file);
}

/** Whether a picture is to be made smaller before it is sent. */
export function needsShrinking(file: Chosen): boolean {
  return file.size > LIGHT_BYTES || !isTakenAsItIs(file);
}

/** "4 images, 2 polls". */
export function bulkLabel(count: number): string {
  const polls = Math.floor(count / 2);
  return `${count} ${count === 1 ? 'image' : 'images'}, ${polls} ${polls === 1 ? 'poll' : 'polls'}`;
}
