import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

type Colour = { r: number; g: number; b: number };

const LONG_SIDE_PX = 640;
const SHORT_SIDE_PX = 480;
/** The EXIF orientation of photos from a phone held upright: the stored image has to be rotated by 90° clockwise. */
const ORIENTATION = 6;
/** The maximum difference of a colour component after three lossy encodings. */
const COLOUR_TOLERANCE = 30;

/** The colours of the upper and lower half of each photo when it is shown upright. */
const PHOTOS = [
  { top: { r: 206, g: 84, b: 40 }, bottom: { r: 240, g: 204, b: 70 } },
  { top: { r: 40, g: 92, b: 206 }, bottom: { r: 30, g: 160, b: 118 } },
] as const;

/** Writes two photos with an EXIF orientation, as phones do, and returns their paths. */
export function writePhotos(folder: string): Promise<string[]> {
  return Promise.all(
    PHOTOS.map(async ({ top, bottom }, index) => {
      const path = join(folder, `IMG_${index}.jpg`);
      const half = { width: LONG_SIDE_PX / 2, height: SHORT_SIDE_PX, channels: 3 } as const;
      const stored = await sharp({ create: { ...half, background: top } })
        .extend({ right: half.width, background: bottom })
        .withMetadata({ orientation: ORIENTATION })
        .jpeg()
        .toBuffer();
      await writeFile(path, stored);
      return path;
    }),
  );
}

async function meanColour(image: Buffer, half: 'top' | 'bottom'): Promise<Colour> {
  const { width, height } = await sharp(image).metadata();
  const halfHeight = Math.floor(height / 2);
  const part = await sharp(image)
    .extract({ left: 0, top: half === 'top' ? 0 : height - halfHeight, width, height: halfHeight })
    .png()
    .toBuffer();
  const [r, g, b] = (await sharp(part).stats()).channels.map(({ mean }) => mean);
  return { r: r ?? 0, g: g ?? 0, b: b ?? 0 };
}

const isNear = (a: Colour, b: Colour) =>
  (['r', 'g', 'b'] as const).every((part) => Math.abs(a[part] - b[part]) <= COLOUR_TOLERANCE);

/** Whether a stored image shows the photo at `index` upright. */
export async function isPhoto(image: Buffer, index: 0 | 1): Promise<boolean> {
  const { top, bottom } = PHOTOS[index];
  return isNear(await meanColour(image, 'top'), top) && isNear(await meanColour(image, 'bottom'), bottom);
}
