import { expect, test } from 'vitest';
import { countLabel } from './count-label.ts';

test('only a count of 1 has the singular “vote”', () => {
  expect([0, 1, 2].map((count) => countLabel(count, 'vote'))).toEqual(['0 votes', '1 vote', '2 votes']);
});
