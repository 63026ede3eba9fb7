import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, inject, test } from 'vitest';
import { toAppError } from '#api/http/error-mapping.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { seedPolls } from '#api/testing/poll-factory.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { type Database, type Handle, openPostgres } from './client.ts';
import { pollTotals } from './schema/polls.ts';
import { inSavepoint, inTransaction } from './transaction.ts';

const app = await createTestApp();
const { db, signUp } = app;
const [{ name: databaseName }] = await db.sql<[{ name: string }]>`select current_database() as name`;
const otherDb = await createTestDatabase();
afterAll(() => otherDb.close());

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
    where datname = ${databaseName} and pid <> pg_backend_pid()`;
  await admin.close();
}

test('a query whose connection is lost fails with unavailable, and later requests succeed', async () => {
  const client = await signUp();
  const slow = codeOf(db.sql`select pg_sleep(5)`);
  await expect
    .poll(async () => {
      const running = await otherDb.sql`
        select from pg_stat_activity where datname = ${databaseName} and query = 'select pg_sleep(5)'`;
      return running.count;
    })
    .toBe(1);
  await endConnections();
  expect(await slow).toBe('unavailable');
  await expect.poll(async () => (await client.get('/api/user')).status, { timeout: 10_000 }).toBe(200);
});

/** Runs `work` until it waits for a lock, then ends its connection. Returns the result of `work`. */
async function withLostConnection<Result>(
  database: Database,
  work: () => PromiseLike<Result>,
  lockedTable = 'poll_totals',
): Promise<Result> {
  const { started } = await inTransaction(database, async (tx) => {
    await tx.sql`lock table ${tx.sql(lockedTable)} in access exclusive mode`;
    const running = Promise.resolve(work());
    running.catch(() => {});
    await expect
      .poll(async () => {
        const terminated = await tx.sql`
          select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
          where datname = current_database() and not granted`;
        return terminated.count;
      })
      .toBe(1);
    // In an object, since a returned promise would be awaited before the lock is released.
    return { started: running };
  });
  return started;
}

test('a read that loses its connection is retried, unlike writes and transactions', async () => {
  await otherDb.sql`update poll_totals set active = 7, total = 7`;
  const read = (handle: Handle) => handle.orm.select({ active: pollTotals.active }).from(pollTotals);
  expect(await withLostConnection(otherDb, () => read(otherDb))).toEqual([{ active: 7 }]);
  const readOnDedicated = () => otherDb.dedicated.reads(read);
  expect(await withLostConnection(otherDb, readOnDedicated)).toEqual([{ active: 7 }]);
  const write = () => otherDb.orm.update(pollTotals).set({ active: 9, total: 9 });
  expect(await codeOf(withLostConnection(otherDb, write))).toBe('unavailable');
  const transactions = [
    () => inTransaction(otherDb, read),
    () => inTransaction(otherDb, (tx) => inSavepoint(tx, read)),
  ];
  for (const transaction of transactions) {
    expect(await codeOf(withLostConnection(otherDb, transaction))).toBe('unavailable');
  }
  expect(await read(otherDb)).toEqual([{ active: 7 }]);
});

test('a call that loses its connection during a read succeeds', async () => {
  const client = await signUp();
  expect((await withLostConnection(db, () => client.get('/api/questions?includeCount=true'))).status).toBe(
    200,
  );
});

test.each([
  ['overview', 'poll_totals'],
  ['polls', 'polls'],
  ['audit', 'polls'],
  ['reports?state=done', 'report_decisions'],
])('an administrator’s call of %s that loses its connection succeeds', async (path, lockedTable) => {
  const admin = await signUpAdmin(app);
  await seedPolls(app, admin.user.id, 1);
  const response = await withLostConnection(db, () => admin.get(`/api/admin/${path}`), lockedTable);
  expect(response.status).toBe(200);
});

test('without a database server a query fails within three seconds', async () => {
  const unreachable = openPostgres(`postgres://me@127.0.0.1:${await freePort()}/x`);
  const startMs = performance.now();
  for (let count = 0; count < 3; count++) expect(await codeOf(unreachable.sql`select 1`)).toBe('unavailable');
  expect(performance.now() - startMs).toBeLessThan(3_000);
  await unreachable.close();
});

test('behind a proxy that closes every connection, a query fails within three seconds', async () => {
  const proxy = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end(),
  );
  const port = await freePort();
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  for (const query of ['', '?sslmode=require']) {
    const database = openPostgres(`postgres://me@127.0.0.1:${port}/x${query}`);
    const startMs = performance.now();
    for (let count = 0; count < 3; count++) expect(await codeOf(database.sql`select 1`)).toBe('unavailable');
    expect(performance.now() - startMs).toBeLessThan(3_000);
    await database.close();
  }
  await new Promise((resolve) => proxy.close(resolve));
});

test.each(['another statement', 'a statement in a savepoint', 'the end of a savepoint', 'the commit'])(
  'a transaction whose connection is lost before %s fails, and the process continues',
  async (next) => {
    // A new pool: in one that has already lost a connection, the driver reports this loss again on the next connection.
    const ownDb = await createTestDatabase();
    let pid = 0;
    const failed = inTransaction(ownDb, async (tx) => {
      const loseConnection = async () => {
        [{ pid }] = await tx.sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
        await otherDb.sql`select pg_terminate_backend(${pid})`;
        // Time for the driver to notice the loss.
        await sleep(200);
      };
      if (next.includes('savepoint')) {
        await inSavepoint(tx, async (savepoint) => {
          await loseConnection();
          if (next === 'a statement in a savepoint') await savepoint.orm.execute('select 1');
          throw new Error('Rolls the savepoint back');
        });
      }
      await loseConnection();
      if (next === 'another statement') await tx.orm.execute('select 1');
    });
    expect(await codeOf(failed)).toBe('unavailable');
    expect(pid).toBeGreaterThan(0);
    // Time for an uncaught error, which Vitest would report.
    await sleep(300);
    await ownDb.close();
  },
);

test('a transaction succeeds although the driver reports the end of a former connection when it begins', async () => {
  const ownDb = openPostgres(otherDb.url ?? '', { connections: 1 });
  const slow = codeOf(ownDb.sql`select pg_sleep(5)`);
  await expect
    .poll(async () => {
      const ended = await otherDb.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query = 'select pg_sleep(5)'`;
      return ended.count;
    })
    .toBe(1);
  expect(await slow).toBe('unavailable');
  let runs = 0;
  await inTransaction(ownDb, async (tx) => {
    runs += 1;
    await tx.sql`update poll_totals set active = 5`;
  });
  expect(runs).toBe(1);
  expect(await otherDb.sql`select active from poll_totals`).toMatchObject([{ active: 5 }]);
  await ownDb.close();
});

test('read-only connections are replaced once new connections are writable', async () => {
  const setReadOnly = (value: 'on' | 'off') =>
    otherDb.sql.unsafe(`alter database ${databaseName} set default_transaction_read_only = ${value}`);
  const findPids = async () =>
    (await db.sql`select pid from pg_stat_activity where datname = ${databaseName}`).map(({ pid }) => pid);
  await setReadOnly('on');
  await endConnections();
  await expect(signUp()).rejects.toThrow('503');
  const pidsBefore = await findPids();
  await expect(signUp()).rejects.toThrow('503');
  expect(await findPids()).toEqual(expect.arrayContaining(pidsBefore));
  await setReadOnly('off');
  await expect
    .poll(() => signUp().then(() => 'works', String), { timeout: 5_000, interval: 200 })
    .toBe('works');
});

test('a statement waits for a lock no longer than the lock timeout', async () => {
  let releaseLock = () => {};
  const lockingTransaction = inTransaction(otherDb, async (tx) => {
    await tx.sql`update poll_totals set active = 1`;
    await new Promise<void>((resolve) => {
      releaseLock = resolve;
    });
  });
  await expect
    .poll(
      async () =>
        (
          await otherDb.sql`
        select from pg_locks
        where mode = 'RowExclusiveLock' and relation = 'poll_totals'::regclass
          and database = (select oid from pg_database where datname = current_database())`
        ).count,
    )
    .toBeGreaterThan(0);
  const startMs = performance.now();
  expect(await codeOf(otherDb.sql`update poll_totals set active = 2`)).toBe('unavailable');
  expect(performance.now() - startMs).toBeLessThan(6_000);
  releaseLock();
  await lockingTransaction;
});

test('statements have the configured timeouts, and one that exceeds its timeout fails with unavailable', async () => {
  const [row] = await otherDb.sql<[{ statement: string; lock: string }]>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
  expect(row).toEqual({ statement: '10s', lock: '4s' });
  const tooSlow = inTransaction(otherDb, async (tx) => {
    await tx.sql`set local statement_timeout = 50`;
    await tx.sql`select pg_sleep(2)`;
  });
  expect(await codeOf(tooSlow)).toBe('unavailable');
});
