import { expect, test } from 'vitest';
import { toMailError } from './mail-error.ts';

test.each(['mara+polls@example.org', 'MARA+POLLS@EXAMPLE.ORG', 'Mara+Polls@example.org'])(
  'the reason of a failure does not contain the address of the recipient, even as %s',
  (quoted) => {
    const rejection = new Error(`550 <${quoted}>: no such user`);
    const { message } = toMailError(rejection, ['Mara+Polls@example.org']);
    expect(message).toBe('550 <…>: no such user');
  },
);
