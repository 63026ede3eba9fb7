import { describe, expect, test } from 'vitest';
import { unreadableImageMessage } from './unreadable-image.ts';

function fileOf(...parts: (string | number[])[]): Blob {
  return new Blob(parts.map((part) => (typeof part === 'string' ? part : Uint8Array.from(part))));
}

const SIDE_65536 = [0, 1, 0, 0];

describe('a file that does not become an image', () => {
  test('a HEIC photo says how to get a JPG', async () => {
    expect(await unreadableImageMessage(fileOf([0, 0, 0, 24], 'ftypheic', 'mif1heic'))).toMatch(/HEIC.*JPG/);
    expect(await unreadableImageMessage(fileOf([0, 0, 0, 24], 'ftypmif1', 'heic'))).toMatch(/HEIC/);
  });

  test('an image of too many pixels is called too large', async () => {
    const png = fileOf([0x89], 'PNG\r\n', [26, 10, 0, 0, 0, 13], 'IHDR', SIDE_65536, SIDE_65536);
    expect(await unreadableImageMessage(png)).toMatch(/too large/);
  });

  test('a JPEG that ends too soon is called damaged', async () => {
    expect(await unreadableImageMessage(fileOf([0xff, 0xd8, 0xff, 0xe0]))).toMatch(/damaged/);
  });

  test('anything else is no image, also when it is empty', async () => {
    expect(await unreadableImageMessage(fileOf('a note'))).toMatch(/cannot read this file/);
    expect(await unreadableImageMessage(fileOf())).toMatch(/cannot read this file/);
  });
});
