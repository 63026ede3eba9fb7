import sharp from 'sharp';
import { expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { toImageError } from './decode-error.ts';

/** The error that the decoder throws when an image exceeds its timeout. */
async function decoderTimeout(): Promise<unknown> {
  const slow = { create: { width: 6_000, height: 6_000, channels: 3 as const, background: '#f00' } };
  return sharp(slow)
    .timeout({ seconds: 1 })
    .blur(300)
    .webp({ effort: 6, lossless: true })
    .toBuffer()
    .then(
      () => new Error('succeeded'),
      (error: unknown) => error,
    );
}

function codeOf(error: unknown, { wasAlone }: { wasAlone: boolean }): string {
  const imageError = toImageError(error, { wasAlone, retryAfterSeconds: 5 });
  return imageError instanceof AppError ? imageError.code : 'unchanged';
}

test('a timeout means an undecodable image if it was decoded alone, otherwise a busy server', async () => {
  const timeout = await decoderTimeout();
  expect(codeOf(timeout, { wasAlone: true })).toBe('undecodable');
  expect(codeOf(timeout, { wasAlone: false })).toBe('busy');
  expect(toImageError(timeout, { wasAlone: false, retryAfterSeconds: 5 })).toMatchObject({
    retryAfterSeconds: 5,
  });
});

test('an error of the decoder means an undecodable image', async () => {
  const error: unknown = await sharp(Buffer.from('GIF89a and then nothing'))
    .stats()
    .catch((reason) => reason);
  expect(codeOf(error, { wasAlone: false })).toBe('undecodable');
});

test.each([
  'vips_tracked: out of memory -- size == 120MB',
  'pngload_buffer: unix error: Too many open files',
  'system error: No space left on device',
])('an error of the system (%s) is returned unchanged', (message) => {
  const error = new Error(message);
  expect(toImageError(error, { wasAlone: true, retryAfterSeconds: 5 })).toBe(error);
});
