import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { STALLED_AFTER_MS } from '#api/db/batcher.ts';
import { openPostgres } from '#api/db/client.ts';
import { requireUserRow, type UserRow } from '#api/http/session/session-user.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll } from '#api/testing/poll-factory.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { createVoteWriter } from './vote-writer.ts';

/** The number of polls that each process writes votes for, and of voters. */
const ROWS = 20;

const db = await createTestDatabase();
afterAll(() => db.close());
const app = await createTestApp({ db });
const maker = await app.signUp({ username: 'maker' });
const processes = [1, 2].map(() => openPostgres(db.url ?? '', { connections: 1 }));
afterAll(() => Promise.all(processes.map((process) => process.close())));

const polls: string[] = [];
for (let index = 0; index < 2 * ROWS; index += 1) {
  polls.push((await openPoll(app, maker, { responsesWanted: '100' })).id);
}

async function countDeadlocks(): Promise<number> {
  const [{ count }] = await db.sql<[{ count: number }]>`
    select deadlocks::int as count from pg_stat_database where datname = current_database()`;
  return count;
}

/** The number of statements on this database that wait for a lock of another transaction. */
async function countWaitingForLock(): Promise<number> {
  const waiting = await db.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return waiting.count;
}

test.each([
  // Each process has its own voters, who vote on the same polls.
  ['polls', 'polls', 0],
  // Each process has its own polls, with votes of the same voters.
  ['voters', 'users', ROWS],
])(
  'two processes that concurrently write votes with the same %s never deadlock',
  async (_case, table, pollOffset) => {
    const voters: UserRow[] = [];
    for (let index = 0; index < ROWS; index += 1) {
      voters.push(await requireUserRow(db, (await app.signUp()).user.id));
    }
    const middle = table === 'polls' ? polls[ROWS / 2] : voters[ROWS / 2]?.id;
    const before = await countDeadlocks();

    // Each process locks rows up to one in the middle that another transaction has locked, and waits there with the locks it holds.
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const lockingTransaction = db.sql.begin(async (sql) => {
      await sql`select from ${sql(table)} where id = ${middle ?? ''} for update`;
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const writing = processes.map((process, index) => {
      const ownPolls = polls.slice(index * pollOffset, index * pollOffset + ROWS);
      const ownVoters = voters.filter((_, voterIndex) => table === 'users' || voterIndex % 2 === index);
      const votes = ownPolls.flatMap((pollId) =>
        ownVoters.map((user) => ({ user, pollId, option: 1 as const, receipt: null })),
      );
      // The processes write in opposite orders, each as many votes as one statement may have.
      return Promise.all(
        (index === 0 ? votes : votes.toReversed()).slice(0, 200).map(createVoteWriter(process)),
      );
    });
    await expect.poll(countWaitingForLock).toBe(2);
    release.resolve();
    await lockingTransaction;
    const results = await Promise.all(writing);
    expect(results.flat().filter((result) => result === null)).toEqual([]);
    // The sessions that wrote the votes report their deadlocks with a delay unless they are told to do so at once.
    for (const { dedicated } of processes) {
      await dedicated.votes(({ sql }) => sql`select pg_stat_force_next_flush()`);
    }
    expect(await countDeadlocks()).toBe(before);
    expect(await violatedInvariants(db)).toEqual([]);
  },
);

test('a vote that waits for the lock on its poll delays votes on other polls only briefly', async () => {
  const voter = await requireUserRow(db, (await app.signUp()).user.id);
  const [lockedPollId = '', otherPollId = ''] = [
    (await openPoll(app, maker, { responsesWanted: '100' })).id,
    (await openPoll(app, maker, { responsesWanted: '100' })).id,
  ];
  const write = createVoteWriter(db);
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const lockingTransaction = db.sql.begin(async (sql) => {
    await sql`select from polls where id = ${lockedPollId} for update`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const waiting = write({ user: voter, pollId: lockedPollId, option: 1, receipt: null });
  await expect.poll(countWaitingForLock).toBe(1);
  await sleep(STALLED_AFTER_MS);
  expect(await write({ user: voter, pollId: otherPollId, option: 1, receipt: null })).not.toBeNull();
  release.resolve();
  await lockingTransaction;
  expect(await waiting).not.toBeNull();
  expect(await violatedInvariants(db)).toEqual([]);
});

test('votes that wait too long for a lock on their poll hold no connection afterwards', async () => {
  const { id: pollId } = await openPoll(app, maker, { responsesWanted: '100' });
  const voters: UserRow[] = [];
  for (let index = 0; index < 10; index += 1) {
    voters.push(await requireUserRow(db, (await app.signUp()).user.id));
  }
  const write = createVoteWriter(db);
  const writeAll = (pollIds: string[]) =>
    Promise.allSettled(
      pollIds.flatMap((id) => voters.map((user) => write({ user, pollId: id, option: 1, receipt: null }))),
    );
  let isSettled = false;
  let slowestMs = 0;
  const outcomes = await db.sql.begin(async (sql) => {
    await sql`select from polls where id = ${pollId} for update`;
    // In one batch with votes on a poll that is not locked.
    const writing = writeAll([pollId, polls[0] ?? '']).finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      const startMs = performance.now();
      await db.sql`select from polls limit 1`;
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
      await sleep(20);
    }
    return { settled: await writing };
  });
  expect(slowestMs).toBeLessThan(1_000);
  const statuses = outcomes.settled.map(({ status }) => status);
  expect(statuses).toEqual([...Array(10).fill('rejected'), ...Array(10).fill('fulfilled')]);
  expect((await writeAll([pollId])).map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'));
  expect(await violatedInvariants(db)).toEqual([]);
});
