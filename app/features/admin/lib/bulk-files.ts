import { countLabel } from '#app/lib/count-label.ts';
import {
  BULK_FILES_MAX,
  EVEN_IMAGE_COUNT_MESSAGE,
  IMAGES_ONLY_MESSAGE,
  NO_FILES_MESSAGE,
} from '#shared/admin/constants.ts';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';

const IMAGE_FILE_NAME = /\.(jpe?g|png|gif|webp|heic|heif|avif)$/i;
const ACCEPTED_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** Larger files are compressed. At 2 Mbit/s, uploading a hundred of this size takes two minutes, the server's limit. */
const UNCOMPRESSED_MAX_BYTES = 300_000;

type FileInfo = Pick<File, 'name' | 'type' | 'size'>;

function isImage({ name, type }: FileInfo): boolean {
  return type === '' ? IMAGE_FILE_NAME.test(name) : type.startsWith('image/');
}

/** Selects images up to the limit, given `currentCount` images chosen before. `error` says why files were left out, else null. */
export function selectImages<Item extends FileInfo>(
  chosen: readonly Item[],
  currentCount: number,
): { selected: Item[]; error: string | null } {
  const images = chosen.filter(isImage);
  const selected = images.slice(0, Math.max(0, BULK_FILES_MAX - currentCount));
  if (images.length < chosen.length) return { selected, error: IMAGES_ONLY_MESSAGE };
  return {
    selected,
    error: selected.length < images.length ? `At most ${BULK_FILES_MAX} images at once` : null,
  };
}

/** The message if this number of images cannot be paired; null if it can. */
export function pairingError(count: number): string | null {
  if (count === 0) return NO_FILES_MESSAGE;
  return count % 2 === 0 ? null : EVEN_IMAGE_COUNT_MESSAGE;
}

/** A copy of the list with the item at index `from` moved to `to`; the same list if an index is out of range. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return items;
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}

export function isTooLarge({ size }: FileInfo): boolean {
  return size > IMAGE_MAX_BYTES;
}

export function isAccepted(file: FileInfo): boolean {
  return ACCEPTED_TYPES.includes(file.type) && !isTooLarge(file);
}

export function needsCompression(file: FileInfo): boolean {
  return file.size > UNCOMPRESSED_MAX_BYTES || !isAccepted(file);
}

/** "4 images, 2 polls". */
export function imageAndPollCountLabel(count: number): string {
  const polls = Math.floor(count / 2);
  return `${countLabel(count, 'image')}, ${countLabel(polls, 'poll')}`;
}

const THUMBNAIL_PX = 240;
const JPEG_QUALITY = 0.75;

/** Returns the object URL of a small square thumbnail, which the caller revokes; null if the image cannot be read. */
export async function createThumbnail(file: Blob): Promise<string | null> {
  try {
    const image = await createImageBitmap(file, {
      resizeWidth: THUMBNAIL_PX,
      resizeQuality: 'medium',
      imageOrientation: 'from-image',
    });
    const canvas = document.createElement('canvas');
    canvas.width = THUMBNAIL_PX;
    canvas.height = THUMBNAIL_PX;
    const side = Math.min(image.width, image.height);
    const left = (image.width - side) / 2;
    const top = (image.height - side) / 2;
    canvas.getContext('2d')?.drawImage(image, left, top, side, side, 0, 0, THUMBNAIL_PX, THUMBNAIL_PX);
    image.close();
    const blob = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY),
    );
    return blob && URL.createObjectURL(blob);
  } catch {
    return null;
  }
}
