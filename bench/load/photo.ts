import sharp from 'sharp';

const PHOTO_PX = { width: 4000, height: 3000 };

/** Generates a JPEG of 12 megapixels, 3 to 4 MB like a camera's photo: noise, and a circle that differs for each `seed`. */
export async function makePhoto(seed: number): Promise<Buffer<ArrayBuffer>> {
  const { width, height } = PHOTO_PX;
  const noise = await sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 11 },
    },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const circle = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><circle cx="${(seed * 397) % width}" cy="${(seed * 211) % height}" r="900" fill="hsl(${seed * 37},70%,50%)" opacity="0.6"/></svg>`;
  return Buffer.from(
    await sharp(noise)
      .composite([{ input: Buffer.from(circle) }])
      .jpeg({ quality: 88 })
      .toBuffer(),
  );
}
