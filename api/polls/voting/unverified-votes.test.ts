import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { openPoll, pointsOf, postVote } from '#api/testing/poll-factory.ts';
import {
  createTestApp,
  type LimitedClient,
  limitedClient,
  type TestUser,
  useUp,
} from '#api/testing/test-app.ts';
import { statusAndCode } from '#api/testing/test-client.ts';
import type { Poll } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });
const polls: Poll[] = [];
for (let count = 0; count < 60; count += 1) polls.push(await openPoll(app, maker));
let voter: TestUser;
let device: LimitedClient;

beforeEach(async () => {
  voter = await app.signUp();
  device = limitedClient(app, voter);
});

const vote = (index: number, key = randomUUID()) => postVote(device.client, polls[index]?.id ?? '', 1, key);
const VOTE_LIMIT = [429, 'vote_limit'];
const useUpAllBut = (votes: number) =>
  useUp(device.limits.votesOfUnverified, voter.user.id, { callsLeft: votes });
/** Makes all counted votes older, as if this time had passed. */
const passTime = (interval: string) => db.sql`
  update recent_calls set times = array(select time - ${interval}::interval from unnest(times) time)`;

test('of sixty concurrent votes fifty are accepted, and the others once the email is verified', async () => {
  const keys = polls.map(() => randomUUID());
  const responses = await Promise.all(keys.map((key, index) => vote(index, key)));
  const refusedIndexes = responses.flatMap(({ status }, index) => (status === 200 ? [] : [index]));
  expect(refusedIndexes).toHaveLength(10);
  for (const index of refusedIndexes)
    expect(await statusAndCode(responses[index] as Response)).toEqual(VOTE_LIMIT);
  expect(await pointsOf(voter)).toBe(10 + 50);
  await db.sql`update users set is_verified = true where id = ${voter.user.id}`;
  for (const index of refusedIndexes) expect((await vote(index, keys[index])).status).toBe(200);
  expect(await pointsOf(voter)).toBe(10 + 60);
});

test('two processes on one database share the count', async () => {
  const otherProcess = limitedClient(app, voter);
  await useUpAllBut(1);
  const responses = await Promise.all([
    vote(0),
    postVote(otherProcess.client, polls[1]?.id ?? '', 1, randomUUID()),
  ]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 429]);
});

test('Retry-After is the time until the oldest counted votes are 24 hours old, after which as many new votes are accepted', async () => {
  await useUpAllBut(1);
  await passTime('20 hours');
  // The fiftieth vote: the 49 others are 20 hours old.
  await vote(0);
  const refused = await vote(1);
  expect(await statusAndCode(refused)).toEqual(VOTE_LIMIT);
  const waitS = Number(refused.headers.get('Retry-After'));
  expect(waitS).toBeGreaterThan(4 * 3_600 - 60);
  expect(waitS).toBeLessThanOrEqual(4 * 3_600);
  await passTime('4 hours');
  for (let index = 1; index <= 49; index += 1) expect((await vote(index)).status).toBe(200);
  expect(await statusAndCode(await vote(50))).toEqual(VOTE_LIMIT);
  await passTime('20 hours');
  expect((await vote(50)).status).toBe(200);
});

test('repeated and refused votes do not count towards the limit, and get their response beyond the limit', async () => {
  await useUpAllBut(1);
  const [key, closedKey] = [randomUUID(), randomUUID()];
  const closed = await openPoll(app, maker);
  await db.sql`update polls set active = false where id = ${closed.id}`;
  const onClosed = (withKey: string) => postVote(device.client, closed.id, 1, withKey);
  expect(await statusAndCode(await onClosed(closedKey))).toEqual([409, 'poll_closed']);
  expect((await vote(0, key)).status).toBe(200);
  expect(await statusAndCode(await vote(1))).toEqual(VOTE_LIMIT);
  for (const repeatedKey of [key, randomUUID()]) expect((await vote(0, repeatedKey)).status).toBe(200);
  expect(await statusAndCode(await onClosed(closedKey))).toEqual([409, 'poll_closed']);
  expect(await statusAndCode(await onClosed(randomUUID()))).toEqual([409, 'poll_closed']);
});

test('a vote beyond the limit leaves no receipt, so that its key can be used later', async () => {
  await useUpAllBut(0);
  const key = randomUUID();
  expect(await statusAndCode(await vote(0, key))).toEqual(VOTE_LIMIT);
  expect(await db.sql`select from mutation_receipts where key = ${key}`).toHaveLength(0);
  await passTime('24 hours');
  expect((await vote(0, key)).status).toBe(200);
});

test('a vote that fails does not count towards the limit', async () => {
  await useUpAllBut(1);
  await db.sql`alter table votes rename to renamed_votes`;
  expect((await vote(0)).status).toBe(500);
  await db.sql`alter table renamed_votes rename to votes`;
  expect((await vote(0)).status).toBe(200);
  expect(await statusAndCode(await vote(1))).toEqual(VOTE_LIMIT);
});

test('votes of verified users and changed votes do not count towards the limit', async () => {
  await useUpAllBut(2);
  expect((await vote(0)).status).toBe(200);
  const changed = await device.client.request(`/api/questions/${polls[0]?.id}/vote`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ option: 2 }),
  });
  expect(changed.status).toBe(200);
  await db.sql`update users set is_verified = true where id = ${voter.user.id}`;
  for (let index = 1; index < 5; index += 1) expect((await vote(index)).status).toBe(200);
  await db.sql`update users set is_verified = false where id = ${voter.user.id}`;
  // The last vote within the limit.
  expect((await vote(5)).status).toBe(200);
  expect(await statusAndCode(await vote(6))).toEqual(VOTE_LIMIT);
});
