import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each([
  ['smtp://localhost:25', true],
  ['smtp://me:x@LOCALHOST', true],
  ['smtp://mail.localhost', true],
  ['smtp://127.0.0.1', true],
  ['smtp://127.1.2.3:2525', true],
  ['smtp://[::1]', true],
  ['postgres:///polls', true],
  ['postgres://%2Fvar%2Frun%2Fpostgresql/polls', true],
  ['smtp://0.0.0.0', false],
  ['smtp://10.0.0.1', false],
  ['smtp://127.0.0.1.example.org', false],
  ['smtp://localhost.example.org', false],
  ['smtp://[2001:db8::1]', false],
  ['postgres://db/polls', false],
])('the host of %s is this machine: %s', (url, expected) => {
  expect(isLoopback(new URL(url))).toBe(expected);
});
