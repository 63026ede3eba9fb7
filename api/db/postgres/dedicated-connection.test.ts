import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDedicatedConnection } from './dedicated-connection.ts';

const STALLED_AFTER_MS = 50;
const connections = { own: 'own', pool: 'pool' };
const nameOf = async (name: string) => name;

test('runs a query on the dedicated connection, even while another query is running there', async () => {
  const run = createDedicatedConnection(connections, STALLED_AFTER_MS);
  const pending = Promise.withResolvers<string>();
  const first = run(() => pending.promise);
  expect(await run(nameOf)).toBe('own');
  pending.resolve('done');
  expect(await first).toBe('done');
  await sleep(2 * STALLED_AFTER_MS);
  expect(await run(nameOf)).toBe('own');
});

test('runs queries on the pool for as long as a query on the dedicated connection hangs', async () => {
  const run = createDedicatedConnection(connections, STALLED_AFTER_MS);
  const pending = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  const calls = pending.map(({ promise }) => run(() => promise));
  await sleep(2 * STALLED_AFTER_MS);
  expect(await run(nameOf)).toBe('pool');
  pending[0].resolve('done');
  await calls[0];
  expect(await run(nameOf)).toBe('pool');
  pending[1].reject(new Error('failed'));
  await expect(calls[1]).rejects.toThrow('failed');
  expect(await run(nameOf)).toBe('own');
});
