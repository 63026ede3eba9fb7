import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Database } from '#api/db/client.ts';
import { requireUserRow } from '#api/http/session/session-user.ts';
import { withClient } from '#api/testing/database-hooks.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll } from '#api/testing/poll-factory.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { Option } from '#shared/polls/schema.ts';
import { createVoteWriter } from './vote-writer.ts';

const db = await createTestDatabase();
afterAll(() => db.close());
const app = await createTestApp({ db });
const maker = await app.signUp({ username: 'maker' });

async function signUpVoters(count: number) {
  const rows = [];
  for (let index = 0; index < count; index += 1) {
    rows.push(await requireUserRow(db, (await app.signUp()).user.id));
  }
  return rows;
}

async function openPolls(count: number, responsesWanted = '100'): Promise<string[]> {
  const polls = await Promise.all(
    Array.from({ length: count }, () => openPoll(app, maker, { responsesWanted })),
  );
  return polls.map(({ id }) => id);
}

/** The database with a counter of the statements that write votes. They fail with `failure` if it is given. */
function countingWrites(database: Database, failure?: Error) {
  const counter = { statements: 0 };
  const sql = new Proxy(database.sql, {
    apply(target, self, args: Parameters<typeof database.sql>) {
      const isWrite = Array.isArray(args[0]) && args[0].join().includes('insert into votes');
      if (isWrite) counter.statements += 1;
      if (isWrite && failure !== undefined) return Promise.reject(failure);
      return Reflect.apply(target, self, args);
    },
  });
  return { db: withClient(database, { sql }), counter };
}

const withReceipt = () => ({ receipt: { key: randomUUID(), fingerprint: 'f' } });

test('concurrent votes are written by one statement, and each earns its points', async () => {
  const [voter, otherVoter] = await signUpVoters(2);
  if (voter === undefined || otherVoter === undefined) throw new Error('no voters');
  const polls = await openPolls(12);
  const { db: countingDb, counter } = countingWrites(db);
  const write = createVoteWriter(countingDb);
  const results = await Promise.all(
    polls.flatMap((pollId, index) => {
      const option: Option = index % 2 === 0 ? 1 : 2;
      return [voter, otherVoter].map((user) => write({ user, pollId, option, ...withReceipt() }));
    }),
  );
  expect(counter.statements).toBe(1);
  // Each poll has two results, one for each voter; both have voted for the same option.
  for (const [index, result] of results.entries()) {
    const pollIndex = Math.floor(index / 2);
    const tallies = pollIndex % 2 === 0 ? { votes1: 2, votes2: 0 } : { votes1: 0, votes2: 2 };
    expect(result).toMatchObject({ poll: { id: polls[pollIndex], ...tallies, rev: 3 } });
    expect(result?.viewer).toMatchObject({
      id: [voter, otherVoter][index % 2]?.id,
      points: 22,
      rev: voter.rev + 12,
    });
  }
  expect(await violatedInvariants(db)).toEqual([]);
});

test('a vote that makes the statement fail does not affect the other votes', async () => {
  const voters = await signUpVoters(6);
  const [first] = voters;
  const [pollId = '', otherPollId = ''] = await openPolls(2);
  if (first === undefined) throw new Error('no voters');
  const { db: countingDb, counter } = countingWrites(db);
  const write = createVoteWriter(countingDb);
  // Receipts have unique keys, so that two votes with one key make the statement fail.
  const sameReceipt = withReceipt();
  const results = await Promise.allSettled([
    write({ user: first, pollId, option: 1, ...sameReceipt }),
    write({ user: first, pollId: otherPollId, option: 1, ...sameReceipt }),
    ...voters.slice(1).map((user) => write({ user, pollId, option: 2, ...withReceipt() })),
  ]);
  expect(counter.statements).toBe(1 + results.length);
  const others = results.slice(2);
  expect(others).toMatchObject(others.map(() => ({ status: 'fulfilled', value: { poll: { id: pollId } } })));
  const votes = await db.sql`select from votes where user_id = ${first.id}`;
  expect(votes.count).toBe(1);
  expect(await violatedInvariants(db)).toEqual([]);
});

test('a vote that fails in a statement of its own is not retried', async () => {
  const [user] = await signUpVoters(1);
  if (user === undefined) throw new Error('no voter');
  const { db: countingDb, counter } = countingWrites(db);
  const writing = createVoteWriter(countingDb)({ user, pollId: 'no id', option: 1, ...withReceipt() });
  await expect(writing).rejects.toThrow('invalid input syntax for type uuid');
  expect(counter.statements).toBe(1);
});

test('votes whose connection was lost are not retried', async () => {
  const voters = await signUpVoters(2);
  const [pollId = ''] = await openPolls(1);
  const connectionLost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
  const { db: countingDb, counter } = countingWrites(db, connectionLost);
  const write = createVoteWriter(countingDb);
  const results = await Promise.allSettled(
    voters.map((user) => write({ user, pollId, option: 1, ...withReceipt() })),
  );
  expect(results).toMatchObject(voters.map(() => ({ status: 'rejected', reason: connectionLost })));
  expect(counter.statements).toBe(1);
});

test('no more concurrent votes count than the poll still wants responses', async () => {
  const voters = await signUpVoters(14);
  const [pollId = ''] = await openPolls(1, '10');
  const { db: countingDb, counter } = countingWrites(db);
  const write = createVoteWriter(countingDb);
  const [firstVoter] = voters;
  if (firstVoter === undefined) throw new Error('no voters');
  await write({ user: firstVoter, pollId, option: 1, ...withReceipt() });
  const results = await Promise.all(
    voters.map((user) => write({ user, pollId, option: 2, ...withReceipt() })),
  );
  expect(results.filter((result) => result !== null)).toHaveLength(9);
  // The first voter has voted already.
  expect(results[0]).toBeNull();
  expect(counter.statements).toBe(2);
  expect(await violatedInvariants(db)).toEqual([]);
});
