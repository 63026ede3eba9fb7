import sharp, { type Metadata } from 'sharp';
import { AppError } from '#api/errors.ts';
import { IMAGE_MAX_PIXELS } from '#shared/polls/constants.ts';

const SNIFF_BYTES = 12;
/** 40 megapixels with four channels of 8 bits. */
const DECODED_MAX_BYTES = 4 * IMAGE_MAX_PIXELS;
/** Less for interlaced images, which are decoded in memory as a whole: 26 megapixels of a progressive JPEG. */
const DECODED_WHOLE_MAX_BYTES = 2 * IMAGE_MAX_PIXELS;
/** The bytes of a channel, by the depth of the image; all other depths count as the deepest. */
const CHANNEL_BYTES: Partial<Record<Metadata['depth'], number>> = { uchar: 1, ushort: 2 };
const CHANNEL_MAX_BYTES = 8;
/**
 * Ordinary progressive JPEGs have about ten scans. Each scan takes a pass over the whole image, and the timeout of decoding
 * begins only after these passes.
 */
const JPEG_SCANS_MAX = 200;
const JPEG_SCAN_MARKER = Buffer.from([0xff, 0xda]);

const unsupported = () =>
  new AppError('unsupported_type', { message: 'Images are JPG, PNG, GIF or WebP files' });

type ImageType = 'jpeg' | 'png' | 'gif' | 'webp';

/** The type of an image by its first 12 bytes; null for unsupported types. */
export function sniffImageType(head: Uint8Array): ImageType | null {
  const text = Buffer.from(head.subarray(0, SNIFF_BYTES)).toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  if (text.startsWith('RIFF') && text.endsWith('WEBP')) return 'webp';
  return null;
}

/**
 * Checks the type and the declared size before any pixel is decoded. Throws `unsupported_type`, `too_large` (pixels or memory),
 * `undecodable`, or the decoder's error for an unreadable header.
 */
export async function checkHeader(bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) throw new AppError('undecodable');
  const type = sniffImageType(bytes);
  if (type === null) throw unsupported();
  if (type === 'jpeg' && hasManyScans(bytes)) throw new AppError('undecodable');
  const header = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (header.format !== type) throw unsupported();
  if (header.width * header.height > IMAGE_MAX_PIXELS) {
    throw new AppError('too_large', {
      message: `An image has at most ${IMAGE_MAX_PIXELS / 1_000_000} megapixels`,
    });
  }
  if (decodedBytes(header) > (header.isProgressive ? DECODED_WHOLE_MAX_BYTES : DECODED_MAX_BYTES)) {
    throw new AppError('too_large', {
      message: 'This image takes too much memory. Please save it smaller, or as an ordinary JPG',
    });
  }
}

function hasManyScans(jpeg: Uint8Array): boolean {
  const bytes = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let scans = 0;
  let position = bytes.indexOf(JPEG_SCAN_MARKER);
  while (position !== -1 && scans <= JPEG_SCANS_MAX) {
    scans += 1;
    position = bytes.indexOf(JPEG_SCAN_MARKER, position + JPEG_SCAN_MARKER.length);
  }
  return scans > JPEG_SCANS_MAX;
}

function decodedBytes({ width, height, channels, depth }: Metadata): number {
  return width * height * channels * (CHANNEL_BYTES[depth] ?? CHANNEL_MAX_BYTES);
}
