import sharp from 'sharp';

export type Rgb = readonly [red: number, green: number, blue: number];

/** As a phone's camera stores it, held on its side: what is upright is told by EXIF alone. */
export const PHONE_PHOTO_PX = 2400;
const SHORT_SIDE = 0.75;
const NOISE = 24;

/** Noise that is the same in every run. */
function noiseSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 2 * NOISE;
  };
}

/**
 * A JPEG like a phone's: noisy, 4 by 3 as stored with `longSidePx` pixels on its long side, EXIF orientation 6 (turn
 * right to see it upright), with a GPS position. Upright, its upper half is `top` and its lower half `bottom`.
 */
export async function phonePhoto(top: Rgb, bottom: Rgb, longSidePx: number): Promise<Buffer> {
  const noise = noiseSource(top[0] * 7 + bottom[2]);
  const shortSidePx = longSidePx * SHORT_SIDE;
  const pixels = Buffer.alloc(longSidePx * shortSidePx * 3);
  for (let at = 0; at < pixels.length; at += 3) {
    const x = (at / 3) % longSidePx;
    // Turned right by 90 degrees, the left side comes to the top.
    const colour = x < longSidePx / 2 ? top : bottom;
    for (const channel of [0, 1, 2] as const) {
      pixels[at + channel] = Math.max(0, Math.min(255, colour[channel] + noise()));
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

/** The mean colour of the upper and of the lower half of an image, and what else tells whether it is clean. */
export async function describeImage(bytes: Buffer) {
  const { width, height, format, exif, xmp, iptc, orientation } = await sharp(bytes).metadata();
  const half = Math.floor(height / 2);
  const meanOf = async (top: number): Promise<Rgb> => {
    // stats() looks at the whole input, whatever was asked for before it.
    const part = await sharp(bytes).extract({ left: 0, top, width, height: half }).png().toBuffer();
    const { channels } = await sharp(part).stats();
    const [red, green, blue] = channels.map(({ mean }) => Math.round(mean));
    return [red ?? 0, green ?? 0, blue ?? 0];
  };
  return {
    width,
    height,
    format,
    hasMetadata: [exif, xmp, iptc, orientation].some((each) => each !== undefined),
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

/** A JPEG of twelve megapixels and of the weight that a phone's camera gives it; made once, which takes seconds. */
export function largePhoto(): Promise<Buffer> {
  large ??= noisyPhoto(4000, 3000, 20);
  return large;
}

/** A JPEG that is as large as a queued image may be, and so noisy that it stays heavier than a megabyte there. */
export function heavyPhoto(): Promise<Buffer> {
  return noisyPhoto(1600, 1200, 80);
}
