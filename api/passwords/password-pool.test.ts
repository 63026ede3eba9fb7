import bcrypt from 'bcryptjs';
import { Piscina } from 'piscina';
import { afterAll, expect, test, vi } from 'vitest';
import { createPasswordPool } from './password-pool.ts';

const pool = createPasswordPool({ cost: 4 });
const caller = { client: '203.0.113.1' };
afterAll(() => pool.close());

test('only the correct password matches', async () => {
  const hash = await pool.hash('correct horse', caller);
  expect(await pool.verify('correct horse', hash, caller)).toBe(true);
  expect(await pool.verify('correct horsf', hash, caller)).toBe(false);
});

test('every character counts, even beyond 72 bytes or after a NUL', async () => {
  const long = 'ü'.repeat(127);
  expect(await pool.verify(`${long}a`, await pool.hash(`${long}b`, caller), caller)).toBe(false);
  expect(await pool.verify('a\0b', await pool.hash('a\0c', caller), caller)).toBe(false);
});

test('no password matches a missing hash, and the check takes the time of a bcrypt comparison', async () => {
  const defaultPool = createPasswordPool();
  expect(await defaultPool.verify('starts the worker thread', null, caller)).toBe(false);
  const startMs = performance.now();
  expect(await defaultPool.verify('anything', null, caller)).toBe(false);
  // At the default cost a comparison takes about 250 ms; with a malformed hash, bcrypt would need under a millisecond.
  expect(performance.now() - startMs).toBeGreaterThan(50);
  await defaultPool.close();
});

test('a missing hash is replaced by one that takes as long to compare as the hashes of the pool', async () => {
  const hash = await pool.hash('correct horse', caller);
  const run = vi.spyOn(Piscina.prototype, 'run');
  await pool.verify('anything', null, caller);
  const [{ hash: dummyHash }] = run.mock.calls[0] ?? [];
  run.mockRestore();
  expect([bcrypt.getRounds(dummyHash), dummyHash.length]).toEqual([bcrypt.getRounds(hash), hash.length]);
});

test('passwords are hashed with bcrypt cost 12', async () => {
  const defaultPool = createPasswordPool();
  expect(await defaultPool.hash('correct horse', caller)).toMatch(/^\$2[ab]\$12\$/);
  await defaultPool.close();
});
