import { expect, test } from 'vitest';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';
import { bulkLabel, countProblem, isTooHeavy, keepPictures, moved, needsShrinking } from './bulk-files.ts';

const file = (name: string, type: string, size = 1_000) => ({ name, type, size });

test('of the chosen files only images are kept, and that is said', () => {
  const [photo, heic, text] = [
    file('a.jpg', 'image/jpeg'),
    file('b.HEIC', ''),
    file('notes.txt', 'text/plain'),
  ] as const;
  expect(keepPictures([photo, text, heic], 0)).toEqual({
    kept: [photo, heic],
    error: 'Please select image files only',
  });
  expect(keepPictures([photo], 0)).toEqual({ kept: [photo], error: null });
  expect(keepPictures([file('unknown', '')], 0).kept).toEqual([]);
});

test('past a hundred no more are kept', () => {
  const many = Array.from({ length: 60 }, (_, index) => file(`${index}.png`, 'image/png'));
  const { kept, error } = keepPictures(many, 60);
  expect(kept).toHaveLength(40);
  expect(error).toBe('At most 100 images at once');
});

test('polls need files, and an even number of them', () => {
  expect(countProblem(0)).toBe('No files selected');
  expect(countProblem(3)).toBe('Please select an even number of images for paired polls');
  expect(countProblem(4)).toBeNull();
  expect(bulkLabel(1)).toBe('1 image, 0 polls');
  expect(bulkLabel(3)).toBe('3 images, 1 poll');
});

test('an image changes places with its neighbour, and stays at either end', () => {
  expect(moved(['a', 'b', 'c'], 1, 0)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b', 'c'], 1, 2)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
  expect(moved(['a', 'b', 'c'], 2, 3)).toEqual(['a', 'b', 'c']);
});

test('only heavy images and those of unusual kinds are made smaller before they are sent', () => {
  expect(needsShrinking(file('a.jpg', 'image/jpeg', 300_000))).toBe(false);
  expect(needsShrinking(file('a.jpg', 'image/jpeg', 300_001))).toBe(true);
  expect(needsShrinking(file('a.jpg', 'image/jpeg', 4_000_000))).toBe(true);
  expect(needsShrinking(file('a.avif', 'image/avif', 300_000))).toBe(true);
  expect(isTooHeavy(file('a.jpg', 'image/jpeg', IMAGE_MAX_BYTES))).toBe(false);
  expect(isTooHeavy(file('a.jpg', 'image/jpeg', IMAGE_MAX_BYTES + 1))).toBe(true);
});
