import { describe, expect, test } from 'vitest';
import { unreadableImageMessage } from './unreadable-image.ts';

function fileOf(...parts: (string | number[])[]): Blob {
  return new Blob(parts.map((part) => (typeof part === 'string' ? part : Uint8Array.from(part))));
}

const SIDE_65536 = [0, 1, 0, 0];

describe('the message about a file that cannot be read as an image', () => {
  test('explains for a HEIC photo how to get a JPG', async () => {
    expect(await unreadableImageMessage(fileOf([0, 0, 0, 24], 'ftypheic', 'mif1heic'))).toMatch(/HEIC.*JPG/);
    expect(await unreadableImageMessage(fileOf([0, 0, 0, 24], 'ftypmif1', 'heic'))).toMatch(/HEIC/);
  });

  test('calls a PNG with too many pixels too large', async () => {
    const png = fileOf([0x89], 'PNG\r\n', [26, 10, 0, 0, 0, 13], 'IHDR', SIDE_65536, SIDE_65536);
    expect(await unreadableImageMessage(png)).toMatch(/too large/);
  });

  test('calls a truncated JPEG damaged', async () => {
    expect(await unreadableImageMessage(fileOf([0xff, 0xd8, 0xff, 0xe0]))).toMatch(/damaged/);
  });

  test('says that any other file, even an empty one, cannot be read', async () => {
    expect(await unreadableImageMessage(fileOf('a note'))).toMatch(/cannot read this file/);
    expect(await unreadableImageMessage(fileOf())).toMatch(/cannot read this file/);
  });
});
