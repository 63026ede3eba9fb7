import { expect, test } from 'vitest';
import { parseWaiting, waitingText } from './waiting-note.ts';

test.each([0, 9, 10, 1_234])('a count of %i is read as it was noted', (count) => {
  expect(parseWaiting(waitingText(12, count))).toEqual({ userId: 12, count });
});
