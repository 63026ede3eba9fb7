import { expect, test } from 'vitest';
import { createQrCode, toSvg } from './qr-code.ts';

const LINK = 'https://polls.example.org/s/x7Kp2mQvT9dGh0aZ_b-Xyw';

test('the dark modules of a code are drawn neither over its three eyes nor under its disc', () => {
  const { size, modules, eyes, disc } = createQrCode(LINK);
  expect(eyes).toEqual([
    { x: 0, y: 0 },
    { x: size - 7, y: 0 },
    { x: 0, y: size - 7 },
  ]);
  const positions = [...modules.matchAll(/M(\d+) (\d+)h/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  );
  // The fourth corner has no eye.
  expect(positions.some(([x, y]) => x >= size - 7 && y >= size - 7)).toBe(true);
  for (const [x, y] of positions) {
    expect(Math.hypot(x + 0.5 - disc.centre, y + 0.5 - disc.centre)).toBeGreaterThanOrEqual(disc.radius);
    for (const eye of eyes)
      expect(x - eye.x >= 0 && x - eye.x < 7 && y - eye.y >= 0 && y - eye.y < 7).toBe(false);
  }
});

test('the disc covers far fewer modules than error correction level H restores', () => {
  const { size, disc } = createQrCode(LINK);
  // Level H restores up to 30% of the code words.
  expect((Math.PI * disc.radius ** 2) / size ** 2).toBeLessThan(0.06);
});

test('different links have different codes', () => {
  expect(createQrCode(`${LINK}x`).modules).not.toBe(createQrCode(LINK).modules);
});

test('the image has a quiet zone of four modules by default', () => {
  const { size } = createQrCode(LINK);
  expect(toSvg(createQrCode(LINK))).toContain(`viewBox="-4 -4 ${size + 8} ${size + 8}"`);
});
