import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { effectsOf, makePoll, openPoll, pointsOf, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';
import { keyHeader } from '#api/testing/test-client.ts';

const app = await createTestApp();
const { db } = app;

test('a request whose key another transaction holds for too long gets in_flight', async () => {
  const maker = await app.signUp();
  const voter = await app.signUp();
  const poll = await makePoll(await app.signUp());
  const key = randomUUID();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: held, resolve: markHeld } = Promise.withResolvers<void>();
  const otherTransaction = inTransaction(db, async ({ sql }) => {
    for (const { user } of [maker, voter]) {
      await sql`insert into mutation_receipts (user_id, key, route, fingerprint, status)
        values (${user.id}, ${key}, 'vote', 'x', 200)`;
    }
    markHeld();
    await mayEnd;
  });
  await held;
  const headers = keyHeader(key);
  const limited = { maker: limitedClient(app, maker), voter: limitedClient(app, voter) };
  await useUp(limited.maker.limits.creationsAMinute, maker.user.id, { callsLeft: 1 });
  await useUp(limited.voter.limits.votes, voter.user.id, { callsLeft: 1 });
  const responses = await Promise.all([
    postPoll(limited.maker.client, {}, headers),
    limited.voter.client.post(`/api/questions/${poll.id}/vote`, { option: 1 }, headers),
  ]);
  end();
  await otherTransaction;
  for (const response of responses) {
    expect([response.status, (await response.json()).code]).toEqual([409, 'in_flight']);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(response.headers.get('Idempotency-Key')).toBe(key);
  }
  expect(await effectsOf(app, maker)).toEqual({ polls: 0, points: 10, debits: 0, orphans: 0 });
  expect(await effectsOf(app, voter)).toMatchObject({ points: 10 });
  // Neither request was counted against its limit.
  expect((await postPoll(limited.maker.client)).status).toBe(201);
  expect((await postVote(limited.voter.client, poll.id, 1)).status).toBe(200);
});

/** Resolves once a statement waits for a lock of another transaction. */
async function untilOneWaitsForLock(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting.count).toBe(1);
  });
}

test('a vote whose key another vote has used in a concurrent transaction waits for it, and gets key_reused', async () => {
  const voter = await app.signUp();
  const [poll, otherPoll] = [await makePoll(await app.signUp()), await makePoll(await app.signUp())];
  const key = randomUUID();
  const { responding } = await inTransaction(db, async ({ sql }) => {
    await sql`insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id)
      values (${voter.user.id}, ${key}, 'vote', 'of another vote', 200, ${otherPoll.id})`;
    const voting = postVote(voter, poll.id, 1, key);
    await untilOneWaitsForLock();
    // In an object, since a returned promise would be awaited before the commit for which the vote waits.
    return { responding: voting };
  });
  const response = await responding;
  expect([response.status, (await response.json()).code]).toEqual([422, 'key_reused']);
  expect(await pointsOf(voter)).toBe(10);
  expect((await postVote(voter, poll.id, 1)).status).toBe(200);
});

test('a vote without a key that waits too long for its poll gets unavailable, not in_flight', async () => {
  const voter = await app.signUp();
  const poll = await openPoll(app, await app.signUp());
  const response = await inTransaction(db, async ({ sql }) => {
    await sql`select from polls where id = ${poll.id} for update`;
    // Awaited before the transaction ends, so the vote waits for this lock until its timeout.
    return postVote(voter, poll.id, 1);
  });
  expect([response.status, (await response.json()).code]).toEqual([503, 'unavailable']);
  expect(await pointsOf(voter)).toBe(10);
});
