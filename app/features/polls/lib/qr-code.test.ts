import { expect, test } from 'vitest';
import { createQrCode, toSvg } from './qr-code.ts';

const URL = 'https://polls.example.org/s/x7Kp2mQvT9dGh0aZ_b-Xyw';

test('the code has eyes in three corners and no modules covered by the disc', () => {
  const { size, modules, eyes, disc } = createQrCode(URL);
  expect(eyes).toEqual([
    { x: 0, y: 0 },
    { x: size - 7, y: 0 },
    { x: 0, y: size - 7 },
  ]);
  const at = [...modules.matchAll(/M(\d+) (\d+)h/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  expect(at.length).toBeGreaterThan(size * 10);
  for (const [x, y] of at) {
    expect(Math.hypot(x + 0.5 - disc.centre, y + 0.5 - disc.centre)).toBeGreaterThanOrEqual(disc.radius);
    expect(x < 7 && y < 7).toBe(false);
  }
  // The disc covers far fewer modules than error correction level H restores.
  expect((Math.PI * disc.radius ** 2) / size ** 2).toBeLessThan(0.06);
});

test('another link has another code, and the image has a quiet zone', () => {
  expect(createQrCode(`${URL}x`).modules).not.toBe(createQrCode(URL).modules);
  const { size } = createQrCode(URL);
  expect(toSvg(createQrCode(URL))).toContain(`viewBox="-4 -4 ${size + 8} ${size + 8}"`);
});
