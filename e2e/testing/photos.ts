import sharp from 'sharp';

/** A small image of one colour. */
export const colourImage = (background: string) =>
  sharp({ create: { width: 60, height: 80, channels: 3, background } })
    .jpeg()
    .toBuffer();

export type Rgb = readonly [red: number, green: number, blue: number];

/** The long side of a photo by a phone that was held upright: stored in landscape, with its orientation in EXIF. */
export const PHONE_PHOTO_PX = 2400;
const SHORT_SIDE_RATIO = 0.75;
/** The maximum deviation of a colour channel. */
const NOISE_MAX = 24;

/** A seeded source of noise, the same in every run (a linear congruential generator). */
function noiseSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 2 * NOISE_MAX;
  };
}

/**
 * A noisy JPEG like a phone's: stored 4:3 with a long side of `longSidePx`, EXIF orientation 6 (to be rotated to the right
 * by 90 degrees) and a GPS position. When rotated, its upper half has the colour `top`, its lower half `bottom`.
 */
export async function phonePhoto(top: Rgb, bottom: Rgb, longSidePx: number): Promise<Buffer> {
  // Photos with different colours have different noise.
  const noise = noiseSource(top[0] * 7 + bottom[2]);
  const shortSidePx = longSidePx * SHORT_SIDE_RATIO;
  const pixels = Buffer.alloc(longSidePx * shortSidePx * 3);
  for (let offset = 0; offset < pixels.length; offset += 3) {
    const x = (offset / 3) % longSidePx;
    // After a turn to the right, the left half is at the top.
    const colour = x < longSidePx / 2 ? top : bottom;
    for (const channel of [0, 1, 2] as const) {
      pixels[offset + channel] = Math.max(0, Math.min(255, colour[channel] + noise()));
    }
  }
  return sharp(pixels, { raw: { width: longSidePx, height: shortSidePx, channels: 3 } })
    .jpeg({ quality: 90 })
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Make: 'Test', Model: 'Camera' },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '51/1 30/1 3230/100',
        GPSLongitudeRef: 'W',
        GPSLongitude: '0/1 7/1 3954/100',
      },
    })
    .toBuffer();
}

/** Size, format and metadata of an image, and the mean colours of its upper and lower half. */
export async function describeImage(bytes: Buffer) {
  const { width, height, format, exif, xmp, iptc, orientation } = await sharp(bytes).metadata();
  const half = Math.floor(height / 2);
  const meanOf = async (top: number): Promise<Rgb> => {
    // stats() ignores extract() and reads the whole input.
    const part = await sharp(bytes).extract({ left: 0, top, width, height: half }).png().toBuffer();
    const { channels } = await sharp(part).stats();
    const [red, green, blue] = channels.map(({ mean }) => Math.round(mean));
    return [red ?? 0, green ?? 0, blue ?? 0];
  };
  return {
    width,
    height,
    format,
    hasMetadata: [exif, xmp, iptc, orientation].some((part) => part !== undefined),
    top: await meanOf(0),
    bottom: await meanOf(height - half),
  };
}

function noisyPhoto(width: number, height: number, sigma: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma } as const;
  return sharp({ create: { width, height, channels: 3, background: '#888', noise } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

let large: Promise<Buffer> | null = null;

/** A JPEG of twelve megapixels with the file size of a phone's photo. Cached, as its creation takes seconds. */
export function largePhoto(): Promise<Buffer> {
  large ??= noisyPhoto(4000, 3000, 20);
  return large;
}

/** A JPEG with the maximum width and height of a queued image, so noisy that it needs more than a megabyte in the queue. */
export function heavyPhoto(): Promise<Buffer> {
  return noisyPhoto(1600, 1200, 80);
}
