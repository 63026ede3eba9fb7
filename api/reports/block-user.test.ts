import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { seedPolls } from '#api/testing/poll-factory.ts';
import { atBlockLimit, putBlock } from '#api/testing/reports.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { statusAndCode, type TestClient } from '#api/testing/test-client.ts';
import type { FeedPage } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;

async function readFeed(viewer: TestClient, query: string): Promise<FeedPage> {
  return (await viewer.get(`/api/questions?${query}`)).json();
}

const blocksOf = async (viewer: TestClient): Promise<string[]> => {
  const { blocks } = await (await viewer.get('/api/blocks')).json();
  return blocks.map(({ username }: { username: string }) => username);
};

test('the polls of a blocked user are hidden only for the blocker, whose pages of the feed remain full', async () => {
  const [blocked, maker, viewer, other] = [
    await app.signUp({ username: 'Loud.One' }),
    await app.signUp(),
    await app.signUp(),
    await app.signUp(),
  ];
  const makerPollIds = await seedPolls(app, maker.user.id, 8);
  const [hiddenId = ''] = await seedPolls(app, blocked.user.id, 8);
  const response = await putBlock(viewer, 'loud.one');
  expect([response.status, await response.text()]).toEqual([204, '']);
  const firstPage = await readFeed(viewer, 'limit=5&includeCount=true');
  expect(firstPage.pagination).toMatchObject({ hasMore: true, total: 8 });
  const secondPage = await readFeed(viewer, `limit=5&cursor=${firstPage.pagination.nextCursor}`);
  expect(secondPage.pagination.hasMore).toBe(false);
  expect([...firstPage.data, ...secondPage.data].map(({ id }) => id)).toEqual(makerPollIds.toReversed());
  expect((await viewer.get(`/api/questions/${hiddenId}`)).status).toBe(404);
  for (const client of [blocked, other]) {
    expect((await readFeed(client, 'limit=100&includeCount=true')).pagination.total).toBe(16);
    expect((await client.get(`/api/questions/${hiddenId}`)).status).toBe(200);
  }
  expect(await blocksOf(viewer)).toEqual(['Loud.One']);
  expect(await blocksOf(blocked)).toEqual([]);
});

test('a block survives a rename of the blocked user and is deleted with the account', async () => {
  const [viewer, renamed, deleted] = [await app.signUp(), await app.signUp(), await app.signUp()];
  await putBlock(viewer, renamed.user.username);
  await putBlock(viewer, deleted.user.username);
  await renamed.patch('/api/user', { username: 'new.name' });
  await db.sql`delete from users where id = ${deleted.user.id}`;
  expect(await blocksOf(viewer)).toEqual(['new.name']);
});

test('blocking and unblocking are idempotent, with the same key, another key or no key', async () => {
  const [viewer, blocked] = [await app.signUp(), await app.signUp()];
  const { username } = blocked.user;
  const [key, unblockKey] = [randomUUID(), randomUUID()];
  for (const keyOrNone of [key, key, undefined, randomUUID()]) {
    const response = await putBlock(viewer, username, keyOrNone);
    expect([response.status, response.headers.get('Idempotency-Key')]).toEqual([204, keyOrNone ?? null]);
  }
  expect(await blocksOf(viewer)).toEqual([username]);
  const unblock = (headers = {}) => viewer.delete(`/api/blocks/${username}`, headers);
  for (const headers of [{ 'Idempotency-Key': unblockKey }, { 'Idempotency-Key': unblockKey }, {}]) {
    expect((await unblock(headers)).status).toBe(204);
  }
  // A delayed duplicate of the first request does not block the user again.
  expect((await putBlock(viewer, username, key)).status).toBe(204);
  expect(await blocksOf(viewer)).toEqual([]);
  expect(await statusAndCode(await putBlock(viewer, 'somebody-else', key))).toEqual([422, 'key_reused']);
});

test('users can block neither themselves nor unknown users', async () => {
  const viewer = await app.signUp();
  const key = randomUUID();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(await statusAndCode(await putBlock(viewer, viewer.user.username, key))).toEqual([
      403,
      'own_account',
    ]);
  }
  expect(await statusAndCode(await putBlock(viewer, 'nobody-here'))).toEqual([404, 'not_found']);
  expect((await viewer.delete('/api/blocks/nobody-here')).status).toBe(204);
});

test('a user can block at most a thousand users, even with concurrent requests', async () => {
  const viewer = await atBlockLimit(app, 1);
  const names = await Promise.all(Array.from({ length: 5 }, async () => (await app.signUp()).user.username));
  const responses = await Promise.all(names.map((name) => putBlock(viewer, name, randomUUID())));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 422, 422, 422, 422]);
  const [latest = ''] = await blocksOf(viewer);
  expect((await putBlock(viewer, latest, randomUUID())).status).toBe(204);
  const otherName = names.find((name) => name !== latest) ?? '';
  expect(await statusAndCode(await putBlock(viewer, otherName))).toEqual([422, 'block_limit']);
  await viewer.delete(`/api/blocks/${latest}`);
  expect((await putBlock(viewer, otherName)).status).toBe(204);
});

test('two users who block each other concurrently both succeed', async () => {
  const [one, two] = [await app.signUp(), await app.signUp()];
  const responses = await Promise.all([
    putBlock(one, two.user.username, randomUUID()),
    putBlock(two, one.user.username, randomUUID()),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([204, 204]);
});
