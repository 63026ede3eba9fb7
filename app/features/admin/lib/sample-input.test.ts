import { expect, test } from 'vitest';
import { readSampleInput } from './sample-input.ts';

test.each(['', 'many', '0', '-5', '1.5'])('%j is refused as a count of sample polls', (count) => {
  expect(readSampleInput(count, '')).toEqual({ error: 'Poll count must be a positive number' });
});

test('more than 500 sample polls at once are refused', () => {
  expect(readSampleInput('500', '').error).toBeNull();
  expect(readSampleInput('501', '').error).toMatch('At most 500');
});

test('a user id is sent only if it is a number', () => {
  expect(readSampleInput('50', ' 104 ')).toEqual({ error: null, input: { count: 50, userId: 104 } });
  // Ids that no user can have are sent, too: the server refuses them. Omitting them would create the polls for the administrator.
  for (const id of ['0', '2147483648', '9007199254740991']) {
    expect(readSampleInput('50', id)).toEqual({ error: null, input: { count: 50, userId: Number(id) } });
  }
  for (const other of ['', 'nina.k', '1e3', '-4']) {
    expect(readSampleInput('50', other)).toEqual({ error: null, input: { count: 50 } });
  }
});
