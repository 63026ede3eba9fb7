import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA } from 'thumbhash';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '#api/errors.ts';
import { sniffImageType } from './image-header.ts';
import { createImagePipeline, type ProcessedImage } from './image-pipeline.ts';

const pipeline = createImagePipeline();

/** Red on the left half, blue on the right. */
function redBlue(width: number, height: number): Sharp {
  const half = { width: Math.floor(width / 2), height, channels: 3 as const, background: '#00f' };
  return sharp({ create: { width, height, channels: 3, background: '#f00' } }).composite([
    { input: { create: half }, gravity: 'east' },
  ]);
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('succeeded'),
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.code : String(error);
}

async function pixelAt(image: Buffer, left: number, top: number): Promise<number[]> {
  return [...(await sharp(image).ensureAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer())];
}

async function sizesOf(image: ProcessedImage) {
  const large = await sharp(image.large).metadata();
  const small = await sharp(image.small).metadata();
  return { large: [large.width, large.height], small: [small.width, small.height] };
}

/** A PNG whose header declares `width` x `height`, with hardly any bytes of pixels. */
async function pngDeclaring(
  width: number,
  height: number,
  { bits = 8, channels = 3, isInterlaced = false } = {},
): Promise<Buffer> {
  const png = await redBlue(2, 2).png().toBuffer();
  // The header chunk: width, height, bits, colour type (6 is RGBA, 2 is RGB), interlacing, and the checksum of the chunk.
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png[24] = bits;
  png[25] = channels === 4 ? 6 : 2;
  png[28] = isInterlaced ? 1 : 0;
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

describe('the two stored sizes', () => {
  test('have at most 1080 and 480 pixels on the long side, in WebP', async () => {
    const image = await pipeline.process(await redBlue(2000, 1000).jpeg().toBuffer());
    expect(await sizesOf(image)).toEqual({ large: [1080, 540], small: [480, 240] });
    expect([image.width, image.height]).toEqual([1080, 540]);
    expect(sniffImageType(image.large)).toBe('webp');
    expect(sniffImageType(image.small)).toBe('webp');
  });

  test('are never enlarged', async () => {
    const image = await pipeline.process(await redBlue(300, 200).png().toBuffer());
    expect(await sizesOf(image)).toEqual({ large: [300, 200], small: [300, 200] });
  });

  test.each(['jpeg', 'png', 'gif', 'webp'] as const)('are made from %s', async (type) => {
    const image = await pipeline.process(await redBlue(40, 30).toFormat(type).toBuffer());
    const [red = 0, , blue = 0] = await pixelAt(image.large, 5, 15);
    expect(red).toBeGreaterThan(200);
    expect(blue).toBeLessThan(60);
  });

  test('are upright, without metadata such as GPS', async () => {
    const rotated = await redBlue(60, 30)
      .withExif({
        IFD0: { Copyright: 'someone' },
        IFD3: { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect((await sharp(rotated).metadata()).exif).toBeDefined();

    const image = await pipeline.process(rotated);
    expect([image.width, image.height]).toEqual([30, 60]);
    const [red = 0] = await pixelAt(image.large, 15, 5);
    expect(red).toBeGreaterThan(200);
    for (const file of [image.large, image.small]) {
      const { exif, icc, xmp, iptc, orientation } = await sharp(file).metadata();
      expect([exif, icc, xmp, iptc, orientation]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      expect(file.includes('GPS') || file.includes('EXIF') || file.includes('someone')).toBe(false);
    }
  });

  test('show the first frame of an animation', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0'].map((background) =>
        sharp({ create: { width: 20, height: 20, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const animation = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(animation).metadata()).pages).toBe(2);

    const image = await pipeline.process(animation);
    expect((await sharp(image.large).metadata()).pages).toBeUndefined();
    const [red = 0, green = 255] = await pixelAt(image.large, 10, 10);
    expect([red > 200, green < 60]).toEqual([true, true]);
  });

  test('keep transparency', async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const png = await sharp({ create: { width: 30, height: 30, channels: 4, background: clear } })
      .png()
      .toBuffer();
    const image = await pipeline.process(png);
    expect((await pixelAt(image.small, 15, 15))[3]).toBe(0);
  });

  test('keep the colours of a CMYK image', async () => {
    const cmyk = await redBlue(40, 40).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk');
    const image = await pipeline.process(cmyk);
    const [red = 0, green = 255, blue = 255] = await pixelAt(image.large, 8, 20);
    expect([red > 190, green < 90, blue < 90]).toEqual([true, true, true]);
  });

  test('come with a preview, a ThumbHash in base64', async () => {
    const image = await pipeline.process(await redBlue(200, 100).jpeg().toBuffer());
    const hash = Buffer.from(image.preview, 'base64');
    expect(thumbHashToApproximateAspectRatio(hash)).toBeGreaterThan(1.5);
    const { r, g, b } = thumbHashToAverageRGBA(hash);
    expect([r > 0.3, g < 0.2, b > 0.3]).toEqual([true, true, true]);
  });
});

describe('a file is rejected', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  const pdf = '%PDF-1.7\n1 0 obj\n<<>>\nendobj';
  test.each([
    ['SVG', svg],
    ['PDF', pdf],
    ['text', 'hello, I am not an image'],
  ])('because of an unsupported type: %s', async (_case, text) => {
    expect(await codeOf(pipeline.process(Buffer.from(text)))).toBe('unsupported_type');
  });

  test('because of an unsupported type: AVIF and TIFF', async () => {
    expect(await codeOf(pipeline.process(await redBlue(16, 16).avif().toBuffer()))).toBe('unsupported_type');
    expect(await codeOf(pipeline.process(await redBlue(16, 16).tiff().toBuffer()))).toBe('unsupported_type');
  });

  test('because of more than 40 megapixels in its header, before decoding', async () => {
    const before = process.memoryUsage().rss;
    expect(await codeOf(pipeline.process(await pngDeclaring(65_536, 65_536)))).toBe('too_large');
    expect(await codeOf(pipeline.process(await pngDeclaring(8_000, 5_001)))).toBe('too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('as undecodable when it is empty, truncated, or has only the header of an image', async () => {
    const photo = await redBlue(800, 600).jpeg().toBuffer();
    expect(await codeOf(pipeline.process(Buffer.alloc(0)))).toBe('undecodable');
    expect(await codeOf(pipeline.process(photo.subarray(0, photo.length / 2)))).toBe('undecodable');
    expect(await codeOf(pipeline.process(photo.subarray(0, 20)))).toBe('undecodable');
    expect(await codeOf(pipeline.process(Buffer.from('GIF89a and then nothing')))).toBe('undecodable');
    expect(await codeOf(pipeline.process(await pngDeclaring(4_000, 4_000)))).toBe('undecodable');
  });
});

describe('the memory limit of decoding', () => {
  // A file whose header is allowed is then undecodable, since its pixels are missing.
  test.each([
    [8_000, 5_000, { channels: 4 }, 'undecodable'],
    [8_000, 5_000, { bits: 16 }, 'too_large'],
    [8_000, 5_000, { bits: 16, channels: 4 }, 'too_large'],
    [5_000, 4_000, { bits: 16, channels: 4 }, 'undecodable'],
    [8_000, 5_000, { isInterlaced: true }, 'too_large'],
    [5_000, 4_000, { channels: 4, isInterlaced: true }, 'undecodable'],
    [5_000, 4_000, { bits: 16, channels: 4, isInterlaced: true }, 'too_large'],
  ] as const)('applied to a PNG of %i x %i with %o results in %s', async (width, height, options, code) => {
    expect(await codeOf(pipeline.process(await pngDeclaring(width, height, options)))).toBe(code);
  });

  test('is not exceeded by compressed text chunks in a PNG, wherever they are', async () => {
    const png = await redBlue(40, 30).png().toBuffer();
    const chunk = (type: string, data: Buffer) => {
      const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
      const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
      length.writeUInt32BE(data.length);
      checksum.writeUInt32BE(crc32(content));
      return Buffer.concat([length, content, checksum]);
    };
    const packed = deflateSync(Buffer.alloc(7_900_000, 'a'));
    const [afterHeader, beforeEnd] = [33, png.length - 12];
    for (const [type, head] of [
      ['zTXt', 'key\0\0'],
      ['iTXt', 'key\0\x01\0\0\0'],
    ] as const) {
      const bombs = Array<Buffer>(100).fill(
        chunk(type, Buffer.concat([Buffer.from(head, 'latin1'), packed])),
      );
      for (const offset of [afterHeader, beforeEnd]) {
        const pngWithBombs = Buffer.concat([png.subarray(0, offset), ...bombs, png.subarray(offset)]);
        const beforeKb = process.resourceUsage().maxRSS;
        const { width, height } = await pipeline.process(pngWithBombs);
        expect([width, height]).toEqual([40, 30]);
        expect(process.resourceUsage().maxRSS - beforeKb).toBeLessThan(150_000);
      }
    }
  });

  test('allows a progressive JPEG of 24 megapixels, but none of 28 megapixels', async () => {
    const photo = (width: number, height: number) =>
      redBlue(width, height).jpeg({ progressive: true }).toBuffer();
    expect((await pipeline.process(await photo(6_000, 4_000))).width).toBe(1_080);
    expect(await codeOf(pipeline.process(await photo(7_000, 4_000)))).toBe('too_large');
  });

  test('allows a progressive JPEG with 200 scans, but none with more', async () => {
    const segment = (marker: number, ...data: number[]) => [0xff, marker, 0, data.length + 2, ...data];
    const codeTable = (type: number) => segment(0xc4, type, 1, ...Array<number>(15).fill(0), 0);
    /**
     * A scan of one block: its only code, and padding. The high nibble of `bitRange` is the lowest bit that was sent before (0 if
     * none), the low nibble the lowest bit that is sent now.
     */
    const scan = (coefficient: number, bitRange: number) => [
      ...segment(0xda, 1, 1, 0, coefficient, coefficient, bitRange),
      0x7f,
    ];
    /** A grey JPEG of 8 x 8 pixels: one scan for the first coefficient, then one for each bit of the next ones, from bit 13 on. */
    const jpeg = (scans: number) => {
      const bitScans = Array.from({ length: scans - 1 }, (_, index) => {
        const coefficient = 1 + Math.floor(index / 14);
        const lowestBit = 13 - (index % 14);
        const previousLowestBit = lowestBit === 13 ? 0 : lowestBit + 1;
        return scan(coefficient, (previousLowestBit << 4) | lowestBit);
      });
      const startOfImage = [0xff, 0xd8];
      const quantizationTable = segment(0xdb, 0, ...Array<number>(64).fill(1));
      const progressiveFrame = segment(0xc2, 8, 0, 8, 0, 8, 1, 1, 0x11, 0);
      const endOfImage = [0xff, 0xd9];
      return Buffer.from([
        ...startOfImage,
        ...quantizationTable,
        ...progressiveFrame,
        ...codeTable(0x00),
        ...codeTable(0x10),
        ...scan(0, 0),
        ...bitScans.flat(),
        ...endOfImage,
      ]);
    };
    expect((await pipeline.process(jpeg(200))).width).toBe(8);
    expect(await codeOf(pipeline.process(jpeg(201)))).toBe('undecodable');
  });

  test('allows a baseline JPEG of 40 megapixels', async () => {
    expect((await pipeline.process(await redBlue(8_000, 5_000).jpeg().toBuffer())).height).toBe(675);
  });
});

test('the decoder may work for at most five seconds on an uploaded or stored image', async () => {
  const setDecodeTimeout = vi.spyOn(sharp.prototype, 'timeout');
  onTestFinished(() => setDecodeTimeout.mockRestore());
  const { large } = await pipeline.process(await redBlue(40, 30).png().toBuffer());
  await pipeline.inspect(async () => large);
  await pipeline.shrink(async () => large);
  expect(setDecodeTimeout.mock.calls).toEqual(Array(3).fill([{ seconds: 5 }]));
});
