import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { OpBlob } from '#sync/client/db.ts';
import { checkBlobs, formBody, sha256Hex } from './blobs.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const bytesOf = (...bytes: number[]) => new Uint8Array(bytes).buffer;

async function image(slot: 1 | 2, changes: Partial<OpBlob> = {}): Promise<OpBlob> {
  const bytes = bytesOf(slot);
  const sha256 = await sha256Hex(bytes);
  return { opId: 'a', slot, bytes, mime: 'image/webp', sha256, width: 4, height: 3, ...changes };
}

test('a hash is hexadecimal, with two digits for each byte', async () => {
  const hash = createHash('sha256')
    .update(new Uint8Array([1]))
    .digest('hex');
  // Only a byte below 0x10 shows whether single digits are padded.
  expect(hash).toMatch(/^(..)*0/);
  expect(await sha256Hex(bytesOf(1))).toBe(hash);
});

test('images are not hashed outside of a secure context', async () => {
  vi.stubGlobal('crypto', {});
  expect(await sha256Hex(bytesOf(1))).toBe('');
});

test('two intact images pass the check', async () => {
  await expect(checkBlobs([await image(1), await image(2)])).resolves.toBeUndefined();
});

test('a missing image is detected', async () => {
  await expect(checkBlobs([await image(1)])).rejects.toThrow('missing');
  await expect(checkBlobs([])).rejects.toThrow('missing');
});

test('an image whose bytes have changed is detected', async () => {
  const damaged = { bytes: bytesOf(9) };
  await expect(checkBlobs([await image(1, damaged), await image(2)])).rejects.toThrow('damaged');
  await expect(checkBlobs([await image(1), await image(2, damaged)])).rejects.toThrow('damaged');
});

test('an image that was stored without a hash is not checked', async () => {
  const withoutHash = await image(1, { sha256: '' });
  await expect(checkBlobs([withoutHash, await image(2)])).resolves.toBeUndefined();
});

test('the form contains all fields, and the images with their types and bytes', async () => {
  const form = formBody(
    [
      ['id', 'p'],
      ['question', 'Sand or summit?'],
    ],
    [await image(1), await image(2, { mime: 'image/jpeg' })],
  );
  expect([...form.keys()]).toEqual(['id', 'question', 'option1Image', 'option2Image']);
  expect([form.get('id'), form.get('question')]).toEqual(['p', 'Sand or summit?']);
  for (const [slot, type] of [
    [1, 'image/webp'],
    [2, 'image/jpeg'],
  ] as const) {
    const file = form.get(`option${slot}Image`);
    if (!(file instanceof File)) throw new Error('expected an image');
    expect([file.name, file.type]).toEqual([`option${slot}`, type]);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array([slot]));
  }
});
