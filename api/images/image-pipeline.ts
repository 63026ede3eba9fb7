import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { AppError } from '#api/errors.ts';
import { IMAGE_LARGE_PX, IMAGE_MAX_PIXELS, IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { toPictureError } from './decode-error.ts';
import { createImageGate, type ImageGate } from './image-gate.ts';

const DECODE_TIMEOUT_SECONDS = 5;
const DECODERS = 2;
const LINE_MAX = 100;
const BUSY_RETRY_AFTER_SECONDS = 5;
const PREVIEW_PX = 100;
const WEBP_QUALITY = 80;
const WEBP_EFFORT = 4;
/** Flat colours: half the time for a tenth more bytes. */
const DRAWING_EFFORT = 2;
const SNIFF_BYTES = 12;
// Phones write JPEGs with harmless flaws that are only warnings: 'error' refuses the broken ones alone.
const DECODE_OPTIONS = { failOn: 'error', limitInputPixels: IMAGE_MAX_PIXELS } as const;

// Every upload is another file: what libvips would keep is never read again.
sharp.cache(false);

/** A picture ready to store: two WebP files, the size of the large one in pixels, its ThumbHash in base64. */
export type ProcessedPicture = {
  large: Buffer;
  small: Buffer;
  width: number;
  height: number;
  preview: string;
};

export type ImagePipeline = {
  /**
   * Turns one uploaded file (a path, or its bytes) into the two stored sizes: upright, without metadata, first
   * frame of an animation, never enlarged. Throws `unsupported_type`, `too_large` (pixels), `undecodable` or
   * `busy`, and as it is what the system says when the file cannot be read; `signal` lets a caller that is gone
   * leave the waiting line.
   */
  process(source: string | Uint8Array, signal?: AbortSignal): Promise<ProcessedPicture>;
  /** Draws an SVG of our own. Throws `busy`. */
  draw(svg: string, signal?: AbortSignal): Promise<ProcessedPicture>;
  /**
   * Whether a stored WebP file is there and decodes. Throws `busy`, also when it takes too long: it was decoded once,
   * so that the machine is to blame. Throws what the system says of other trouble.
   */
  inspect(path: string, signal?: AbortSignal): Promise<'whole' | 'missing' | 'broken'>;
  /** The small size of a stored large one, made anew. Throws as `process`, and `busy` when it takes too long. */
  shrink(path: string, signal?: AbortSignal): Promise<Buffer>;
};

const box = (px: number) => ({ width: px, height: px, fit: 'inside' as const, withoutEnlargement: true });

const unsupported = () =>
  new AppError('unsupported_type', { message: 'Pictures are JPG, PNG, GIF or WebP files' });

type PictureType = 'jpeg' | 'png' | 'gif' | 'webp';

/** The type of a picture by its first 12 bytes, whatever its name says; null for all that is not taken. */
export function sniffPictureType(head: Uint8Array): PictureType | null {
  const text = Buffer.from(head.subarray(0, SNIFF_BYTES)).toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  if (text.startsWith('RIFF') && text.endsWith('WEBP')) return 'webp';
  return null;
}

/** Refuses by type and by the size that the header claims, before a pixel is decoded. */
async function checkHeader(bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) throw new AppError('undecodable');
  const type = sniffPictureType(bytes);
  if (type === null) throw unsupported();
  const header = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (header.format !== type) throw unsupported();
  if (header.width * header.height > IMAGE_MAX_PIXELS) {
    throw new AppError('too_large', {
      message: `A picture has at most ${IMAGE_MAX_PIXELS / 1_000_000} megapixels`,
    });
  }
}

async function decodeStored(bytes: Uint8Array): Promise<void> {
  await checkHeader(bytes);
  await sharp(bytes, DECODE_OPTIONS).timeout({ seconds: DECODE_TIMEOUT_SECONDS }).raw().toBuffer();
}

async function render(bytes: Uint8Array, effort = WEBP_EFFORT): Promise<ProcessedPicture> {
  const { data, info } = await sharp(bytes, DECODE_OPTIONS)
    .timeout({ seconds: DECODE_TIMEOUT_SECONDS })
    .autoOrient()
    .resize(box(IMAGE_LARGE_PX))
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const pixels = () =>
    sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const large = await pixels().webp({ quality: WEBP_QUALITY, effort }).toBuffer();
  const small = await pixels().resize(box(IMAGE_SMALL_PX)).webp({ quality: WEBP_QUALITY, effort }).toBuffer();
  const tiny = await pixels()
    .resize(box(PREVIEW_PX))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const hash = rgbaToThumbHash(tiny.info.width, tiny.info.height, tiny.data);
  return {
    large,
    small,
    width: info.width,
    height: info.height,
    preview: Buffer.from(hash).toString('base64'),
  };
}

/** The picture pipeline of one server: all callers share its two decoders and its waiting line. */
export function createImagePipeline(
  gate: ImageGate = createImageGate({
    places: DECODERS,
    lineMax: LINE_MAX,
    retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
  }),
): ImagePipeline {
  /** Reads in its turn, so that a file that cannot be opened is never mistaken for one that cannot be decoded. */
  function decode<Result>(
    source: string | Uint8Array,
    work: (bytes: Uint8Array) => Promise<Result>,
    signal: AbortSignal | undefined,
    slowIs: 'its fault if alone' | 'never its fault' = 'its fault if alone',
  ): Promise<Result> {
    return gate.run(async (wasAlone) => {
      const bytes = typeof source === 'string' ? await readFile(source) : source;
      try {
        return await work(bytes);
      } catch (error) {
        const isItsFault = slowIs === 'its fault if alone' && wasAlone();
        throw toPictureError(error, { wasAlone: isItsFault, retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS });
      }
    }, signal);
  }

  return {
    process(source, signal) {
      const work = async (bytes: Uint8Array) => {
        await checkHeader(bytes);
        return render(bytes);
      };
      return decode(source, work, signal);
    },

    draw: (svg, signal) => decode(Buffer.from(svg), (bytes) => render(bytes, DRAWING_EFFORT), signal),

    async inspect(path, signal) {
      try {
        await decode(path, decodeStored, signal, 'never its fault');
        return 'whole';
      } catch (error) {
        if (error instanceof AppError && error.code !== 'busy') return 'broken';
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing';
        throw error;
      }
    },

    shrink(path, signal) {
      const work = (bytes: Uint8Array) =>
        sharp(bytes, DECODE_OPTIONS)
          .timeout({ seconds: DECODE_TIMEOUT_SECONDS })
          .resize(box(IMAGE_SMALL_PX))
          .webp({ quality: WEBP_QUALITY })
          .toBuffer();
      return decode(path, work, signal, 'never its fault');
    },
  };
}
