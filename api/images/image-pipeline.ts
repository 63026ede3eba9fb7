import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { IMAGE_LARGE_PX, IMAGE_MAX_PIXELS, IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { BACKGROUND, type ConcurrencyLimiter, createConcurrencyLimiter } from './concurrency-limiter.ts';
import { toImageError } from './decode-error.ts';
import { checkHeader, sniffImageType } from './image-header.ts';
import { stripTextChunks } from './png-text.ts';

const DECODE_TIMEOUT_SECONDS = 5;
const DECODING_SLOTS = 2;
const QUEUE_MAX = 100;
export const BUSY_RETRY_AFTER_SECONDS = 5;
/** The largest image that ThumbHash accepts. */
const PREVIEW_PX = 100;
const WEBP_QUALITY = 80;
const WEBP_EFFORT = 4;
/** For the flat colours of illustrations: half the time, and a tenth more bytes. */
const ILLUSTRATION_EFFORT = 2;
// 'error' ignores warnings: phones write JPEGs with harmless flaws.
const DECODE_OPTIONS = { failOn: 'error', limitInputPixels: IMAGE_MAX_PIXELS } as const;

// A cache would be useless: no upload is read twice.
sharp.cache(false);

/** An image ready to store: two WebP files, the size of the large one in pixels and its ThumbHash in base64. */
export type ProcessedImage = {
  large: Buffer;
  small: Buffer;
  width: number;
  height: number;
  preview: string;
};

/** Reads an image, once a decoding slot is free. Null if the image does not exist. */
type ReadImage = () => Promise<Uint8Array | null>;

export type CreateDecoder = typeof createDecoder;

export type ImagePipeline = ReturnType<typeof createImagePipeline>;

const box = (px: number) => ({ width: px, height: px, fit: 'inside' as const, withoutEnlargement: true });

const createDecoder = (bytes: Uint8Array) =>
  sharp(bytes, DECODE_OPTIONS).timeout({ seconds: DECODE_TIMEOUT_SECONDS });

async function decodeStored(bytes: Uint8Array): Promise<void> {
  await checkHeader(bytes);
  await createDecoder(bytes).raw().toBuffer();
}

async function render(bytes: Uint8Array, effort = WEBP_EFFORT): Promise<ProcessedImage> {
  const { data, info } = await createDecoder(bytes)
    .autoOrient()
    .resize(box(IMAGE_LARGE_PX))
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const pixels = () =>
    sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const large = await pixels().webp({ quality: WEBP_QUALITY, effort }).toBuffer();
  const small = await pixels().resize(box(IMAGE_SMALL_PX)).webp({ quality: WEBP_QUALITY, effort }).toBuffer();
  const preview = await pixels()
    .resize(box(PREVIEW_PX))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const hash = rgbaToThumbHash(preview.info.width, preview.info.height, preview.data);
  return {
    large,
    small,
    width: info.width,
    height: info.height,
    preview: Buffer.from(hash).toString('base64'),
  };
}

/** The image pipeline of a server. All callers share its two decoding slots and their queue. */
export function createImagePipeline(
  limiter: ConcurrencyLimiter = createConcurrencyLimiter({
    concurrency: DECODING_SLOTS,
    queueMax: QUEUE_MAX,
    retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
  }),
) {
  /**
   * Runs `work` with the bytes of an image when a decoding slot is free. The image is read outside the `try`, since a failure to read
   * it does not make it undecodable. A timeout is `undecodable` if nothing else was decoded at the same time (unless `onTimeout`
   * is `busy`), and otherwise `busy`. Throws `not_found` if the image does not exist.
   */
  function decode<Result>(
    readSource: ReadImage,
    work: (bytes: Uint8Array) => Promise<Result>,
    caller: Caller | undefined,
    onTimeout: 'undecodable if alone' | 'busy' = 'undecodable if alone',
  ): Promise<Result> {
    return limiter.run(async (wasAlone) => {
      const read = await readSource();
      if (read === null) throw new AppError('not_found');
      const bytes = sniffImageType(read) === 'png' ? stripTextChunks(read) : read;
      try {
        return await work(bytes);
      } catch (error) {
        throw toImageError(error, {
          wasAlone: onTimeout !== 'busy' && wasAlone(),
          retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
        });
      }
    }, caller);
  }

  return {
    /** The number of images that wait for a decoding slot. */
    waiting: limiter.waiting,

    /**
     * Turns an uploaded file (a path, or its bytes) into the two stored sizes: upright, without metadata, the first frame of an
     * animation, never enlarged. Throws `unsupported_type`, `too_large` (pixels or memory), `undecodable`, `busy`, and system
     * errors when the file cannot be read. When the caller's `signal` aborts, the call leaves the queue.
     */
    process(source: string | Uint8Array, caller?: Caller): Promise<ProcessedImage> {
      const work = async (bytes: Uint8Array) => {
        await checkHeader(bytes);
        return render(bytes);
      };
      return decode(async () => (typeof source === 'string' ? readFile(source) : source), work, caller);
    },

    /** Renders an illustration (see the glossary). Throws `busy` and `undecodable`. */
    draw(svg: string, signal?: AbortSignal): Promise<ProcessedImage> {
      return decode(
        async () => Buffer.from(svg),
        (bytes) => render(bytes, ILLUSTRATION_EFFORT),
        { client: BACKGROUND, signal },
      );
    },

    /**
     * Whether a stored WebP file exists and decodes. Throws `busy`, even on a timeout (the file has been decoded before, so the
     * machine is too slow), and what `read` throws.
     */
    async inspect(read: ReadImage, signal?: AbortSignal): Promise<'whole' | 'missing' | 'broken'> {
      try {
        await decode(read, decodeStored, { client: BACKGROUND, signal }, 'busy');
        return 'whole';
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'busy' || error.code === 'unavailable')
          throw error;
        return error.code === 'not_found' ? 'missing' : 'broken';
      }
    },

    /**
     * Does other work with images in a decoding slot. `work` gets a function that opens an image in sharp with the limits of
     * uploads. Throws `busy` when the queue is full, the reason of the caller's `signal` when it aborts before `work` starts, and
     * what `work` throws, such as the decoder's error on a timeout.
     */
    compose<Result>(
      work: (createDecoder: CreateDecoder) => Promise<Result>,
      caller: Caller,
    ): Promise<Result> {
      return limiter.run(() => work(createDecoder), caller);
    },

    /** Renders the small size from a stored large one. Throws like `inspect`, and `undecodable` or `not_found`. */
    shrink(read: ReadImage, signal?: AbortSignal): Promise<Buffer> {
      const work = (bytes: Uint8Array) =>
        createDecoder(bytes).resize(box(IMAGE_SMALL_PX)).webp({ quality: WEBP_QUALITY }).toBuffer();
      return decode(read, work, { client: BACKGROUND, signal }, 'busy');
    },
  };
}
