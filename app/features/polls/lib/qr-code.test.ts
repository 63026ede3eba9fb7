import { expect, test } from 'vitest';
import { qrCodeSvg } from './qr-code.ts';

/** The width of an eye (a finder pattern), in modules. */
const EYE_SIZE = 7;

const LINK = 'https://polls.example.org/s/x7Kp2mQvT9dGh0aZ_b-Xyw';

/** The size of a code, its dark modules without those of the eyes, the frames of its eyes, and its disc. */
function shapesOf(svg: string) {
  const numbers = (pattern: RegExp) => [...svg.matchAll(pattern)].map((match) => match.slice(1).map(Number));
  const [[size = 0] = []] = numbers(/viewBox="0 0 (\d+) /g);
  const [[cx = 0, cy = 0, radius = 0] = []] = numbers(
    /<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)" fill/g,
  );
  return {
    size,
    modules: numbers(/M(\d+) (\d+)h/g),
    eyes: numbers(/<rect x="([\d.]+)" y="([\d.]+)" width="6"/g).map(([x = 0, y = 0]) => ({
      x: x - 0.5,
      y: y - 0.5,
    })),
    disc: { cx, cy, radius },
  };
}

const SHAPES = shapesOf(qrCodeSvg(LINK, { quietZone: 0 }));

test('the dark modules of a code are drawn neither over its three eyes nor under its disc', () => {
  const { size, modules, eyes, disc } = SHAPES;
  expect(eyes).toEqual([
    { x: 0, y: 0 },
    { x: size - EYE_SIZE, y: 0 },
    { x: 0, y: size - EYE_SIZE },
  ]);
  // The fourth corner has no eye.
  expect(modules.some(([x = 0, y = 0]) => x >= size - EYE_SIZE && y >= size - EYE_SIZE)).toBe(true);
  for (const [x = 0, y = 0] of modules) {
    expect(Math.hypot(x + 0.5 - disc.cx, y + 0.5 - disc.cy)).toBeGreaterThanOrEqual(disc.radius);
    for (const eye of eyes) {
      const isInColumns = x >= eye.x && x < eye.x + EYE_SIZE;
      const isInRows = y >= eye.y && y < eye.y + EYE_SIZE;
      expect(isInColumns && isInRows).toBe(false);
    }
  }
});

test('the disc is in the middle, and covers far fewer modules than error correction level H restores', () => {
  const { size, disc } = SHAPES;
  expect(disc).toMatchObject({ cx: size / 2, cy: size / 2 });
  expect(disc.radius).toBeGreaterThan(0);
  // Level H restores up to 30% of the code words.
  expect((Math.PI * disc.radius ** 2) / size ** 2).toBeLessThan(0.06);
});

test('different links have different codes', () => {
  expect(shapesOf(qrCodeSvg(`${LINK}x`, { quietZone: 0 })).modules).not.toEqual(SHAPES.modules);
});

test('the image has a quiet zone of four modules by default', () => {
  const { size } = SHAPES;
  expect(qrCodeSvg(LINK)).toContain(`viewBox="-4 -4 ${size + 8} ${size + 8}"`);
});
