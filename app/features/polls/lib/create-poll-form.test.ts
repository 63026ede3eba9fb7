import { describe, expect, test } from 'vitest';
import {
  draftOf,
  EMPTY_FORM,
  type ImageSlot,
  initialTexts,
  isBlank,
  isReadingImages,
  type PollForm,
  problemOf,
} from './create-poll-form.ts';

const IMAGE = { bytes: new ArrayBuffer(8), mime: 'image/webp', width: 4, height: 2 };
const READY: ImageSlot = { kind: 'ready', image: IMAGE };
const POLL_ID = '019352aa-0000-7000-8000-000000000001';
const BLANK: PollForm = { ...EMPTY_FORM, pollId: POLL_ID };
const FULL: PollForm = { ...BLANK, question: ' Tea? ', images: { 1: READY, 2: READY } };

describe('the form of a new poll', () => {
  test('starts with 3 days and 10 responses wanted', () => {
    expect(EMPTY_FORM).toMatchObject({ durationDays: 3, responsesWanted: 10 });
  });

  test('never wants more responses than the points can pay for', () => {
    const { images: _, ...texts } = { ...FULL, responsesWanted: 40 };
    expect(initialTexts({ texts, pictures: {} }, 50).responsesWanted).toBe(40);
    expect(initialTexts({ texts, pictures: {} }, 23).responsesWanted).toBe(23);
  });

  test('is checked in order: login, points, question, images', () => {
    expect(problemOf(BLANK, null)).toMatchObject({
      title: 'Login required',
      text: 'Please log in to create a poll',
    });
    expect(problemOf({ ...BLANK, responsesWanted: 24 }, 23)).toMatchObject({
      title: 'Insufficient points',
      text: 'You need 24 points to create a poll',
    });
    expect(problemOf({ ...BLANK, question: '   ' }, 10)).toEqual({
      field: 'question',
      title: 'Question required',
      text: 'Please enter a question for your poll',
    });
    expect(problemOf({ ...FULL, images: { 1: READY, 2: { kind: 'failed', error: '' } } }, 10)).toEqual({
      field: 'images',
      title: 'Images required',
      text: 'Please upload both images for your poll',
    });
    expect(problemOf(FULL, 10)).toBeNull();
  });

  test('waits for images that are still being read, instead of reporting them as missing', () => {
    const reading: ImageSlot = { kind: 'reading' };
    const imagesOf = (first: ImageSlot, second: ImageSlot) => ({ ...FULL, images: { 1: first, 2: second } });
    for (const form of [imagesOf(READY, reading), imagesOf(reading, reading)]) {
      expect([problemOf(form, 10), isReadingImages(form), draftOf(form)]).toEqual([null, true, null]);
    }
    expect(isReadingImages(FULL)).toBe(false);
    expect(problemOf(imagesOf(reading, { kind: 'empty' }), 10)?.title).toBe('Images required');
  });

  test('is not blank while its only image is being replaced', () => {
    const replacing: ImageSlot = { kind: 'reading', image: IMAGE };
    expect(isBlank({ ...BLANK, images: { ...BLANK.images, 2: replacing } })).toBe(false);
    expect(isBlank({ ...BLANK, images: { ...BLANK.images, 2: { kind: 'reading' } } })).toBe(true);
  });

  test('is submitted with trimmed texts and both images, in order', () => {
    const second: ImageSlot = { ...READY, image: { ...IMAGE, mime: 'image/jpeg' } };
    const draft = draftOf({ ...FULL, captions: { 1: ' Hot ', 2: '' }, images: { 1: READY, 2: second } });
    expect(draft).toMatchObject({
      pollId: POLL_ID,
      question: 'Tea?',
      option1Caption: 'Hot',
      option2Caption: '',
    });
    expect(draft?.images.map((image) => image.mime)).toEqual(['image/webp', 'image/jpeg']);
  });

  test('has a poll id from the start, which its saved draft keeps', () => {
    const { pollId, ...texts } = initialTexts(undefined, 50);
    expect(pollId).toMatch(/^[0-9a-f-]{36}$/);
    expect(initialTexts(undefined, 50).pollId).not.toBe(pollId);
    expect(initialTexts({ texts: { ...texts, pollId }, pictures: {} }, 50).pollId).toBe(pollId);
    // A draft of the first release has no id.
    expect(initialTexts({ texts, pictures: {} }, 50).pollId).toMatch(/^[0-9a-f-]{36}$/);
  });
});
