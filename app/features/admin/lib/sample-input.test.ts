import { expect, test } from 'vitest';
import { parseSampleInput } from './sample-input.ts';

test.each(['', 'many', '0', '-5', '1.5'])('%j is not a valid count of sample polls', (count) => {
  expect(parseSampleInput(count, '')).toEqual({ error: 'Poll count must be a positive number' });
});

test('at most 500 sample polls can be generated at once', () => {
  expect(parseSampleInput('500', '').error).toBeNull();
  expect(parseSampleInput('501', '').error).toMatch('At most 500');
});

test('a user id is sent only if it is a number', () => {
  expect(parseSampleInput('50', ' 104 ')).toEqual({ error: null, input: { count: 50, userId: 104 } });
  // Ids that no user can have are sent, too. The server rejects them; without an id, the polls would be the administrator's.
  for (const id of ['0', '2147483648', '9007199254740991']) {
    expect(parseSampleInput('50', id)).toEqual({ error: null, input: { count: 50, userId: Number(id) } });
  }
  for (const text of ['', 'nina.k', '1e3', '-4']) {
    expect(parseSampleInput('50', text)).toEqual({ error: null, input: { count: 50 } });
  }
});
