import { afterAll, expect, test } from 'vitest';
import { createPasswordPool } from './password-pool.ts';

const pool = await createPasswordPool({ cost: 4 });
afterAll(() => pool.close());

test('the right password fits, any other does not', async () => {
  const hash = await pool.hash('correct horse');
  expect(await pool.verify('correct horse', hash)).toBe(true);
  expect(await pool.verify('correct horsf', hash)).toBe(false);
});

test('every character counts, past the 72nd byte and past a NUL too', async () => {
  const long = 'ü'.repeat(127);
  expect(await pool.verify(`${long}a`, await pool.hash(`${long}b`))).toBe(false);
  expect(await pool.verify('a\0b', await pool.hash('a\0c'))).toBe(false);
});

test('an account without a hash is never opened, at the price of one that has one', async () => {
  expect(await pool.verify('anything', null)).toBe(false);
});

test('a password has the cost that was measured: bcrypt 12', async () => {
  const real = await createPasswordPool();
  expect(await real.hash('correct horse')).toMatch(/^\$2[ab]\$12\$/);
  await real.close();
});
