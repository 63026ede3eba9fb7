import { expect, test } from 'vitest';
import { errorBodySchema } from './errors.ts';

test('an error of a newer server keeps its message, even if its other fields are unknown to this version', () => {
  const body = {
    message: 'Please wait.',
    code: 'of_a_later_release',
    requestId: 7,
    ticket: { id: 'x' },
    issues: [{ field: 'email' }],
  };
  expect(errorBodySchema.parse(body)).toEqual({ message: 'Please wait.', code: 'unknown', requestId: '' });
});
