import { expect, test } from 'vitest';
import { IMAGE_MAX_BYTES } from '#shared/polls/constants.ts';
import {
  imageAndPollCountLabel,
  isTooLarge,
  moveItem,
  needsCompression,
  pairingError,
  selectImages,
} from './bulk-files.ts';

const file = (name: string, type: string, size = 1_000) => ({ name, type, size });

test('only image files are selected, with an error about the others', () => {
  const [photo, heic, text] = [
    file('a.jpg', 'image/jpeg'),
    file('b.HEIC', ''),
    file('notes.txt', 'text/plain'),
  ] as const;
  expect(selectImages([photo, text, heic], 0)).toEqual({
    selected: [photo, heic],
    error: 'Please select image files only',
  });
  expect(selectImages([photo], 0)).toEqual({ selected: [photo], error: null });
  expect(selectImages([file('unknown', '')], 0).selected).toEqual([]);
});

test('at most 100 images are selected, with an error about the rest', () => {
  const sixtyImages = Array.from({ length: 60 }, (_, index) => file(`${index}.png`, 'image/png'));
  const { selected, error } = selectImages(sixtyImages, 60);
  expect(selected).toHaveLength(40);
  expect(error).toBe('At most 100 images at once');
});

test('images can be paired only if their number is even and not zero', () => {
  expect(pairingError(0)).toBe('No files selected');
  expect(pairingError(3)).toBe('Please select an even number of images for paired polls');
  expect(pairingError(4)).toBeNull();
});

test('the label counts the images, and one poll for each complete pair of them', () => {
  expect(imageAndPollCountLabel(1)).toBe('1 image, 0 polls');
  expect(imageAndPollCountLabel(3)).toBe('3 images, 1 poll');
});

test('an image swaps places with its neighbour, and cannot move past either end', () => {
  expect(moveItem(['a', 'b', 'c'], 1, 0)).toEqual(['b', 'a', 'c']);
  expect(moveItem(['a', 'b', 'c'], 1, 2)).toEqual(['a', 'c', 'b']);
  expect(moveItem(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
  expect(moveItem(['a', 'b', 'c'], 2, 3)).toEqual(['a', 'b', 'c']);
});

test('only large images and those in uncommon formats are compressed before the upload', () => {
  expect(needsCompression(file('a.jpg', 'image/jpeg', 300_000))).toBe(false);
  expect(needsCompression(file('a.jpg', 'image/jpeg', 300_001))).toBe(true);
  expect(needsCompression(file('a.jpg', 'image/jpeg', 4_000_000))).toBe(true);
  expect(needsCompression(file('a.avif', 'image/avif', 300_000))).toBe(true);
});

test('a file is too large if it exceeds the limit for images of polls', () => {
  expect(isTooLarge(file('a.jpg', 'image/jpeg', IMAGE_MAX_BYTES))).toBe(false);
  expect(isTooLarge(file('a.jpg', 'image/jpeg', IMAGE_MAX_BYTES + 1))).toBe(true);
});
