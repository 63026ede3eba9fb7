import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { seedPolls } from '#api/testing/poll-factory.ts';
import { atBlockLimit, putBlock } from '#api/testing/reports.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import type { FeedPage } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;

async function page(viewer: TestClient, query: string): Promise<FeedPage> {
  return (await viewer.get(`/api/questions?${query}`)).json();
}

const blocksOf = async (viewer: TestClient): Promise<string[]> => {
  const { blocks } = await (await viewer.get('/api/blocks')).json();
  return blocks.map(({ username }: { username: string }) => username);
};

const codeOf = async (response: Response) => [response.status, (await response.json()).code];

test('the polls of a blocked user are hidden from the blocker only, and pages remain full', async () => {
  const [loud, quiet, viewer, other] = [
    await app.signUp({ username: 'Loud.One' }),
    await app.signUp(),
    await app.signUp(),
    await app.signUp(),
  ];
  const shown = await seedPolls(app, quiet.user.id, 8);
  const [hidden = ''] = await seedPolls(app, loud.user.id, 8);
  const response = await putBlock(viewer, 'loud.one');
  expect([response.status, await response.text()]).toEqual([204, '']);
  const first = await page(viewer, 'limit=5&includeCount=true');
  expect(first.pagination).toMatchObject({ hasMore: true, total: 8 });
  const rest = await page(viewer, `limit=5&cursor=${first.pagination.nextCursor}`);
  expect(rest.pagination.hasMore).toBe(false);
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(shown.toReversed());
  expect((await viewer.get(`/api/questions/${hidden}`)).status).toBe(404);
  for (const someone of [loud, other]) {
    expect((await page(someone, 'limit=100&includeCount=true')).pagination.total).toBe(16);
    expect((await someone.get(`/api/questions/${hidden}`)).status).toBe(200);
  }
  expect(await blocksOf(viewer)).toEqual(['Loud.One']);
  expect(await blocksOf(loud)).toEqual([]);
});

test('a block survives a rename of the blocked user and is deleted with the account', async () => {
  const [viewer, renamed, gone] = [await app.signUp(), await app.signUp(), await app.signUp()];
  await putBlock(viewer, renamed.user.username);
  await putBlock(viewer, gone.user.username);
  await renamed.patch('/api/user', { username: 'new.name' });
  await db.sql`delete from users where id = ${gone.user.id}`;
  expect(await blocksOf(viewer)).toEqual(['new.name']);
});

test('blocking and unblocking are idempotent, with the same key, another one or none', async () => {
  const [viewer, blocked] = [await app.signUp(), await app.signUp()];
  const { username } = blocked.user;
  const [key, endKey] = [randomUUID(), randomUUID()];
  for (const again of [key, key, undefined, randomUUID()]) {
    const response = await putBlock(viewer, username, again);
    expect([response.status, response.headers.get('Idempotency-Key')]).toEqual([204, again ?? null]);
  }
  expect(await blocksOf(viewer)).toEqual([username]);
  const end = (headers = {}) => viewer.delete(`/api/blocks/${username}`, headers);
  for (const headers of [{ 'Idempotency-Key': endKey }, { 'Idempotency-Key': endKey }, {}]) {
    expect((await end(headers)).status).toBe(204);
  }
  // The first attempt arrives late.
  expect((await putBlock(viewer, username, key)).status).toBe(204);
  expect(await blocksOf(viewer)).toEqual([]);
  expect(await codeOf(await putBlock(viewer, 'somebody-else', key))).toEqual([422, 'key_reused']);
});

test('users can block neither themselves nor unknown users', async () => {
  const viewer = await app.signUp();
  const key = randomUUID();
  for (let tries = 0; tries < 2; tries += 1) {
    expect(await codeOf(await putBlock(viewer, viewer.user.username, key))).toEqual([403, 'own_account']);
  }
  expect(await codeOf(await putBlock(viewer, 'nobody-here'))).toEqual([404, 'not_found']);
  expect((await viewer.delete('/api/blocks/nobody-here')).status).toBe(204);
});

test('a user can block at most a thousand users, even concurrently; blocking one of them again succeeds', async () => {
  const viewer = await atBlockLimit(app, 1);
  const names = await Promise.all(Array.from({ length: 5 }, async () => (await app.signUp()).user.username));
  const responses = await Promise.all(names.map((name) => putBlock(viewer, name, randomUUID())));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 422, 422, 422, 422]);
  const [latest = ''] = await blocksOf(viewer);
  expect((await putBlock(viewer, latest, randomUUID())).status).toBe(204);
  const other = names.find((name) => name !== latest) ?? '';
  expect(await codeOf(await putBlock(viewer, other))).toEqual([422, 'block_limit']);
  await viewer.delete(`/api/blocks/${latest}`);
  expect((await putBlock(viewer, other)).status).toBe(204);
});

test('two users who block each other concurrently both succeed', async () => {
  const [one, two] = [await app.signUp(), await app.signUp()];
  const responses = await Promise.all([
    putBlock(one, two.user.username, randomUUID()),
    putBlock(two, one.user.username, randomUUID()),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([204, 204]);
});
