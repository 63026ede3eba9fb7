import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { limitedClient, useUp } from '#api/testing/limited-client.ts';
import { makePoll, postPoll, postVote, tracesOf } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db } = app;

test('while a key is being worked on elsewhere for long, the answer is to come back soon', async () => {
  const maker = await app.signUp();
  const voter = await app.signUp();
  const poll = await makePoll(await app.signUp());
  const key = randomUUID();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const elsewhere = inTransaction(db, async ({ sql }) => {
    for (const { user } of [maker, voter]) {
      await sql`insert into mutation_receipts (user_id, key, route, fingerprint, status)
        values (${user.id}, ${key}, 'vote', 'x', 200)`;
    }
    hold();
    await mayEnd;
  });
  await isHeld;
  const headers = { 'Idempotency-Key': key };
  const limited = { maker: limitedClient(app, maker), voter: limitedClient(app, voter) };
  await useUp(limited.maker.limits.creationsAMinute, maker.user.id, 1);
  await useUp(limited.voter.limits.votes, voter.user.id, 1);
  const answers = await Promise.all([
    postPoll(limited.maker.client, {}, headers),
    limited.voter.client.post(`/api/questions/${poll.id}/vote`, { option: 1 }, headers),
  ]);
  end();
  await elsewhere;
  for (const answer of answers) {
    expect([answer.status, (await answer.json()).code]).toEqual([409, 'in_flight']);
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(answer.headers.get('Idempotency-Key')).toBe(key);
  }
  expect(await tracesOf(app, maker)).toEqual({ polls: 0, points: 10, debits: 0, orphans: 0 });
  expect(await tracesOf(app, voter)).toMatchObject({ points: 10 });
  // Neither was counted.
  expect((await postPoll(limited.maker.client)).status).toBe(201);
  expect((await postVote(limited.voter.client, poll.id, 1)).status).toBe(200);
});
