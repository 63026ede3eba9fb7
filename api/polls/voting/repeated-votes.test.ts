import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { openPoll, pointsOf, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { statusAndCode } from '#api/testing/test-client.ts';
import type { Poll } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });
let voter: TestUser;
let poll: Poll;

beforeEach(async () => {
  voter = await app.signUp();
  poll = await openPoll(app, maker);
});

const RATE_LIMITED = [429, 'rate_limited'];

test('beyond the limit an existing vote gets the same response, with its key, another key or none', async () => {
  const key = randomUUID();
  const firstBody = await (await postVote(voter, poll.id, 1, key)).json();
  const { client, limits } = limitedClient(app, voter);
  await useUp(limits.votes, voter.user.id);
  for (const repeatedKey of [key, randomUUID(), undefined]) {
    const response = await postVote(client, poll.id, 1, repeatedKey);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(firstBody);
  }
});

test('beyond the limit a stored refusal is returned unchanged', async () => {
  const key = randomUUID();
  await db.sql`update polls set active = false where id = ${poll.id}`;
  expect(await statusAndCode(await postVote(voter, poll.id, 1, key))).toEqual([409, 'poll_closed']);
  const { client, limits } = limitedClient(app, voter);
  await useUp(limits.votes, voter.user.id);
  expect(await statusAndCode(await postVote(client, poll.id, 1, key))).toEqual([409, 'poll_closed']);
});

test('beyond the limit a new vote gets rate_limited, and a key of another vote gets key_reused', async () => {
  const key = randomUUID();
  const otherPoll = await openPoll(app, maker);
  await postVote(voter, otherPoll.id, 1, key);
  const { client, limits } = limitedClient(app, voter);
  await useUp(limits.votes, voter.user.id);
  const response = await postVote(client, poll.id, 1, randomUUID());
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await statusAndCode(response)).toEqual(RATE_LIMITED);
  expect(await statusAndCode(await postVote(client, otherPoll.id, 2))).toEqual(RATE_LIMITED);
  expect(await statusAndCode(await postVote(client, poll.id, 1, key))).toEqual([422, 'key_reused']);
  expect(await pointsOf(voter)).toBe(11);
});

test('repeated votes do not count against the limit', async () => {
  const [key, refusedKey] = [randomUUID(), randomUUID()];
  await postVote(voter, poll.id, 1, key);
  await postVote(voter, poll.id, 2, refusedKey);
  const { client, limits } = limitedClient(app, voter);
  await useUp(limits.votes, voter.user.id, { callsLeft: 1 });
  for (let count = 1; count <= 3; count += 1) {
    expect((await postVote(client, poll.id, 1, key)).status).toBe(200);
    expect((await postVote(client, poll.id, 1, randomUUID())).status).toBe(200);
    expect(await statusAndCode(await postVote(client, poll.id, 2, refusedKey))).toEqual([
      409,
      'already_voted',
    ]);
  }
  const [firstPoll, secondPoll] = [await openPoll(app, maker), await openPoll(app, maker)];
  expect((await postVote(client, firstPoll.id, 1, randomUUID())).status).toBe(200);
  expect(await statusAndCode(await postVote(client, secondPoll.id, 1, randomUUID()))).toEqual(RATE_LIMITED);
});

test('a new refusal counts against the limit', async () => {
  const { client, limits } = limitedClient(app, voter);
  await useUp(limits.votes, voter.user.id, { callsLeft: 1 });
  expect(await statusAndCode(await postVote(client, randomUUID(), 1, randomUUID()))).toEqual([
    404,
    'not_found',
  ]);
  expect(await statusAndCode(await postVote(client, poll.id, 1, randomUUID()))).toEqual(RATE_LIMITED);
});

test('a vote with a server error does not count against the limit', async () => {
  const { client, limits } = limitedClient(app, voter);
  await useUp(limits.votes, voter.user.id, { callsLeft: 1 });
  const key = randomUUID();
  await db.sql`alter table votes add constraint fails_on_purpose check (option > 2) not valid`;
  try {
    for (let count = 1; count <= 3; count += 1) {
      expect(await statusAndCode(await postVote(client, poll.id, 1, key))).toEqual([500, 'internal']);
    }
  } finally {
    await db.sql`alter table votes drop constraint fails_on_purpose`;
  }
  expect((await postVote(client, poll.id, 1, key)).status).toBe(200);
  expect(await statusAndCode(await postVote(client, (await openPoll(app, maker)).id, 1))).toEqual(
    RATE_LIMITED,
  );
});
