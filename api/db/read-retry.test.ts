import postgres from 'postgres';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createOrm } from './client.ts';
import { pollTotals } from './schema/polls.ts';

/** Does not connect: `databaseWith` mocks the results of its statements. */
const client = postgres('postgres://me@127.0.0.1:1/nothing');
afterEach(() => vi.restoreAllMocks());
afterAll(() => client.end());

const connectionLost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/**
 * The builder on a client whose statements have these outcomes, one after another. `timesMs` has the time of each statement.
 */
function databaseWith(...outcomes: (Error | readonly unknown[][])[]) {
  const timesMs: number[] = [];
  vi.spyOn(client, 'unsafe').mockImplementation((() => {
    timesMs.push(performance.now());
    const outcome = outcomes.shift() ?? [];
    return { values: async () => (outcome instanceof Error ? Promise.reject(outcome) : outcome) };
  }) as never);
  return { orm: createOrm(client, { retriesReads: true }), timesMs };
}

const read = ({ orm }: ReturnType<typeof databaseWith>) =>
  orm.select({ active: pollTotals.active }).from(pollTotals);

test('a read whose connection was lost is retried after 100 ms', async () => {
  const database = databaseWith(connectionLost(), [[7]]);
  expect(await read(database)).toEqual([{ active: 7 }]);
  const [firstMs = 0, secondMs = 0] = database.timesMs;
  expect(database.timesMs).toHaveLength(2);
  // A timer may fire a millisecond early.
  expect(secondMs - firstMs).toBeGreaterThanOrEqual(95);
});

test('a read is retried only twice', async () => {
  const database = databaseWith(connectionLost(), connectionLost(), connectionLost(), [[7]]);
  await expect(read(database)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(database.timesMs).toHaveLength(3);
});

test('neither writes nor reads with other errors are retried', async () => {
  const failing = databaseWith(Object.assign(new Error('no such table'), { code: '42P01' }), [[7]]);
  await expect(read(failing)).rejects.toMatchObject({ cause: { code: '42P01' } });
  expect(failing.timesMs).toHaveLength(1);
  const writing = databaseWith(connectionLost(), [[9]]);
  const write = writing.orm.update(pollTotals).set({ active: 9 }).returning({ active: pollTotals.active });
  await expect(write).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(writing.timesMs).toHaveLength(1);
});
