import { createServer } from 'node:net';
import { afterAll, expect, inject, test } from 'vitest';
import { toAppError } from '#api/http/error-mapping.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { freePort } from '#scripts/run/free-port.ts';
import { type Database, type Handle, openPostgres } from './client.ts';
import { pollTotals } from './schema/polls.ts';
import { inSavepoint, inTransaction } from './transaction.ts';

const { db, signUp } = await createTestApp();
const other = await createTestDatabase();
afterAll(() => other.close());

function codeOf(work: PromiseLike<unknown>): Promise<string> {
  return Promise.resolve(work).then(
    () => 'none',
    (error: unknown) => toAppError(error).code,
  );
}

/** Ends all connections to the app's database, and waits until they have ended. */
async function endConnections(): Promise<void> {
  const source = inject('testDatabase');
  if (source.kind !== 'postgres') throw new Error('This file is for PostgreSQL only');
  const admin = openPostgres(source.adminUrl, { connections: 1 });
  await admin.sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = (${(await db.sql`select current_database() as name`)[0]?.name}) and pid <> pg_backend_pid()`;
  await admin.close();
}

test('lost connections lead to 503, then everything works again', async () => {
  const client = await signUp();
  const slow = codeOf(db.sql`select pg_sleep(5)`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await endConnections();
  expect(await slow).toBe('unavailable');
  await expect.poll(async () => (await client.get('/api/user')).status, { timeout: 10_000 }).toBe(200);
});

/** Runs `work` until it waits for a lock, then ends its connection. Returns the result of `work`. */
async function losingConnection<Result>(at: Database, work: () => PromiseLike<Result>): Promise<Result> {
  const { started } = await inTransaction(at, async (tx) => {
    await tx.sql`lock table poll_totals in access exclusive mode`;
    const running = Promise.resolve(work());
    running.catch(() => {});
    await expect
      .poll(async () => {
        const ended = await tx.sql`
          select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
          where datname = current_database() and not granted`;
        return ended.count;
      })
      .toBe(1);
    return { started: running };
  });
  return started;
}

test('a read that loses its connection is retried; writes and transactions are not', async () => {
  await other.sql`update poll_totals set active = 7, total = 7`;
  const read = (handle: Handle) => handle.orm.select({ active: pollTotals.active }).from(pollTotals);
  expect(await losingConnection(other, () => read(other))).toEqual([{ active: 7 }]);
  const write = () => other.orm.update(pollTotals).set({ active: 9, total: 9 });
  expect(await codeOf(losingConnection(other, write))).toBe('unavailable');
  const transactions = [
    () => inTransaction(other, read),
    () => inTransaction(other, (tx) => inSavepoint(tx, read)),
  ];
  for (const transaction of transactions) {
    expect(await codeOf(losingConnection(other, transaction))).toBe('unavailable');
  }
  expect(await read(other)).toEqual([{ active: 7 }]);
});

test('a call that loses its connection during a read succeeds', async () => {
  const client = await signUp();
  expect((await losingConnection(db, () => client.get('/api/questions?includeCount=true'))).status).toBe(200);
});

test('without a database server a query fails within three seconds', async () => {
  const absent = openPostgres(`postgres://me@127.0.0.1:${await freePort()}/x`);
  const startMs = performance.now();
  for (let count = 0; count < 3; count++) expect(await codeOf(absent.sql`select 1`)).toBe('unavailable');
  expect(performance.now() - startMs).toBeLessThan(3_000);
  await absent.close();
});

test('behind a proxy that closes every connection a query fails at once', async () => {
  const proxy = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end(),
  );
  const port = await freePort();
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  for (const query of ['', '?sslmode=require']) {
    const lost = openPostgres(`postgres://me@127.0.0.1:${port}/x${query}`);
    const startMs = performance.now();
    for (let count = 0; count < 3; count++) expect(await codeOf(lost.sql`select 1`)).toBe('unavailable');
    expect(performance.now() - startMs).toBeLessThan(3_000);
    await lost.close();
  }
  await new Promise((resolve) => proxy.close(resolve));
});

test('read-only connections are replaced once new connections are writable', async () => {
  const [{ name }] = await db.sql<[{ name: string }]>`select current_database() as name`;
  const setReadOnly = (value: 'on' | 'off') =>
    other.sql.unsafe(`alter database ${name} set default_transaction_read_only = ${value}`);
  const processes = async () =>
    (await db.sql`select pid from pg_stat_activity where datname = ${name}`).map(({ pid }) => pid);
  await setReadOnly('on');
  await endConnections();
  await expect(signUp()).rejects.toThrow('503');
  const before = await processes();
  await expect(signUp()).rejects.toThrow('503');
  expect(await processes()).toEqual(expect.arrayContaining(before));
  await setReadOnly('off');
  await expect
    .poll(() => signUp().then(() => 'works', String), { timeout: 5_000, interval: 200 })
    .toBe('works');
});

test('a statement waits for a lock no longer than the lock timeout', async () => {
  let letGo = () => {};
  const held = inTransaction(other, async (tx) => {
    await tx.sql`update poll_totals set active = 1`;
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
  });
  await expect
    .poll(async () => (await other.sql`select from pg_locks where mode = 'RowExclusiveLock'`).count)
    .toBeGreaterThan(0);
  const startMs = performance.now();
  expect(await codeOf(other.sql`update poll_totals set active = 2`)).toBe('unavailable');
  expect(performance.now() - startMs).toBeLessThan(6_000);
  letGo();
  await held;
});

test('every statement has the configured timeout', async () => {
  const [row] = await other.sql<[{ statement: string; lock: string }]>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
  expect(row).toEqual({ statement: '10s', lock: '4s' });
  const tooSlow = inTransaction(other, async (tx) => {
    await tx.sql`set local statement_timeout = 50`;
    await tx.sql`select pg_sleep(2)`;
  });
  expect(await codeOf(tooSlow)).toBe('unavailable');
});
