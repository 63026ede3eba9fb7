import { expect, test } from 'vitest';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { seedPolls } from '#api/testing/poll-factory.ts';
import { TEST_CONNECTIONS } from '#api/testing/servers/database.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db } = app;
const TIMEOUT_MS = 600;
/** Each of these votes takes 10 ms to change: together more than the timeout. */
const VOTES = 80;

/**
 * Sets a short `statement_timeout` on every connection of the pool: while statements sleep, the next ones are run on other
 * connections.
 */
async function shortenTimeout(): Promise<void> {
  const fastStatements = Array.from(
    { length: 3 * TEST_CONNECTIONS },
    () => db.sql`select set_config('statement_timeout', ${String(TIMEOUT_MS)}, false), pg_sleep(0.05)`,
  );
  await Promise.all(fastStatements);
  // Error 57014: canceled by the timeout.
  const slowStatements = Array.from({ length: TEST_CONNECTIONS }, () =>
    db.sql`select pg_sleep(0.7)`.catch(({ code }) => code),
  );
  expect(new Set(await Promise.all(slowStatements))).toEqual(new Set(['57014']));
}

function withoutTimeout<Result>(work: (tx: Transaction) => PromiseLike<Result>): Promise<Result> {
  return inTransaction(db, async (tx) => {
    await tx.sql`set local statement_timeout = 0`;
    return work(tx);
  });
}

/** Stores a vote of each of `voters` on each of `pollIds`, with tallies and points. */
async function addVotes(voters: readonly TestUser[], pollIds: readonly string[]): Promise<void> {
  const ids = `{${voters.map(({ user }) => user.id).join()}}`;
  await db.sql`
    with cast_votes as (
      insert into votes (poll_id, user_id, option)
      select poll_id, user_id, 1 from unnest(${`{${pollIds.join()}}`}::uuid[]) poll_id, unnest(${ids}::int[]) user_id
      returning poll_id, user_id
    ), entries as (
      insert into point_entries (user_id, delta, reason, source)
      select user_id, 1, 'vote', 'vote:' || poll_id from cast_votes returning user_id
    ), sums as (
      select user_id, count(*) as sum from entries group by user_id
    ), tallies as (
      update polls set votes1 = votes1 + counted.count
      from (select poll_id, count(*) as count from cast_votes group by poll_id) counted
      where polls.id = counted.poll_id
    ) update users set points = points + sums.sum from sums where users.id = sums.user_id`;
}

test('a user or a poll with very many votes can be deleted despite the statement timeout', async () => {
  const admin = await signUpAdmin(app);
  const voter = await app.signUp();
  const pollIds = await seedPolls(app, admin.user.id, VOTES);
  // Otherwise the invariants would demand that points were paid for these polls.
  await db.sql`update polls set is_sample = true, is_free = true`;
  await addVotes([voter], pollIds);
  // Makes each vote take 10 ms, as if there were a thousand times as many.
  await db.sql.unsafe(`
    create function take_time() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.01); return coalesce(new, old); end $$;
    create trigger take_time before update or delete on votes for each row execute function take_time()`);
  await shortenTimeout();

  expect((await admin.delete(`/api/admin/users/${voter.user.id}`)).status).toBe(200);
  expect(await withoutTimeout(violatedInvariants)).toEqual([]);
  // Now one poll has all these votes.
  const [pollId = ''] = pollIds;
  const moved = await withoutTimeout(({ sql }) => sql`update votes set poll_id = ${pollId}`);
  expect(moved.count).toBe(VOTES);

  expect((await admin.delete(`/api/admin/polls/${pollId}`)).status).toBe(200);
  const remaining = await db.sql`select from votes`;
  expect(remaining.count).toBe(0);
});
