import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { cleanText, formatOutboxCount, parseOutboxCount } from './http.ts';

test.each([0, 3, 9, 10, 1_234])(
  'a formatted count of %i changes in the outbox is parsed unchanged',
  (count) => {
    expect(parseOutboxCount(formatOutboxCount(5_000, count))).toEqual({ userId: 5_000, count });
  },
);

test.each(['', '5000', '5000.', '.3', '5000.3.1', 'a.b', '5000.-1', '12345678901.1', '1.1234567'])(
  '"%s" is not a valid count of changes in the outbox',
  (text) => {
    expect(parseOutboxCount(text)).toBeNull();
  },
);

describe('a text written by a user', () => {
  const schema = z.string().check(cleanText);

  test.each([
    ['\u202Egnp.exe\u2069', 'gnp.exe'],
    ['a\u0007b\u009Fc', 'abc'],
    [' two\nlines\t', 'two\nlines'],
    ['👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['می‌خواهم', 'می‌خواهم'],
  ])('loses only the characters that are not allowed: %j', (text, clean) => {
    expect(z.parse(schema, text)).toBe(clean);
  });

  test.each(['\u200B\u200D', '\u2066\u2069', '\u3164\u115F\u2800', '\uFE0F\u00AD\uFEFF', '\u0007'])(
    'becomes empty if it has no visible characters: %j',
    (text) => {
      expect(z.parse(schema, text)).toBe('');
    },
  );

  test('keeps a NUL character, which fails validation later', () => {
    expect(z.parse(schema, 'a\0')).toBe('a\0');
  });
});
