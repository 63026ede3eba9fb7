import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { effectsOf, makePoll, openPoll, pollForm, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { slowPost } from '#api/testing/test-client.ts';
import type { Poll } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });

let account: TestUser;
let poll: Poll;
beforeEach(async () => {
  account = await app.signUp();
  poll = await openPoll(app, maker);
});

async function currentEpoch(): Promise<string> {
  const [{ epoch }] = await db.sql<[{ epoch: string }]>`select epoch from server_state`;
  return epoch;
}

async function expectMismatch(response: Response): Promise<void> {
  expect(response.status).toBe(409);
  expect(Object.keys(await response.clone().json()).sort()).toEqual(['code', 'message', 'requestId']);
  expect((await response.json()).code).toBe('actor_mismatch');
}

test('every response with the user’s own account contains the current epoch', async () => {
  for (let history = 1; history <= 2; history += 1) {
    const epoch = history === 1 ? await currentEpoch() : await renewEpoch(db);
    const newUser = await app.signUp();
    const credentials = { username: newUser.user.username, password: newUser.password };
    const open = await openPoll(app, maker);
    const bodies = {
      'GET /api/user': await (await newUser.get('/api/user')).json(),
      'POST /api/register': newUser.user,
      'POST /api/login': await (await newUser.post('/api/login', credentials)).json(),
      'PATCH /api/user': await (await newUser.patch('/api/user', { username: `renamed${history}` })).json(),
      'PATCH /api/user without a change': await (await newUser.patch('/api/user', {})).json(),
      'a vote': (await (await postVote(newUser, open.id, 1)).json()).user,
      'the repeated vote': (await (await postVote(newUser, open.id, 1)).json()).user,
      'a creation': (await (await postPoll(newUser)).json()).user,
    };
    for (const [name, body] of Object.entries(bodies)) expect([name, body.epoch]).toEqual([name, epoch]);
  }
});

test('administrators see other users without the epoch', async () => {
  const admin = await signUpAdmin(app);
  const { users } = await (await admin.get('/api/admin/users')).json();
  expect(users.length).toBeGreaterThan(1);
  expect(users.filter((row: object) => 'epoch' in row)).toEqual([]);
  const suspended = await (await admin.post(`/api/admin/users/${account.user.id}/suspend`)).json();
  expect(suspended.user).toMatchObject({ id: account.user.id });
  expect(suspended.user).not.toHaveProperty('epoch');
});

test('a vote that expects another epoch gets actor_mismatch and has no effect', async () => {
  const formerHeaders = {
    'X-Expected-User': String(account.user.id),
    'X-Expected-Epoch': await currentEpoch(),
  };
  const epoch = await renewEpoch(db);
  const key = randomUUID();
  const vote = (headers: Record<string, string>) =>
    account.post(`/api/questions/${poll.id}/vote`, { option: 1 }, { 'Idempotency-Key': key, ...headers });

  const mismatch = await vote(formerHeaders);
  expect(mismatch.headers.get('Idempotency-Key')).toBe(key);
  await expectMismatch(mismatch);
  expect(await effectsOf(app, account)).toMatchObject({ points: 10 });
  expect((await db.sql`select from votes where user_id = ${account.user.id}`).count).toBe(0);
  expect((await db.sql`select from mutation_receipts where user_id = ${account.user.id}`).count).toBe(0);

  // With the new epoch, in any letter case, the same key is accepted.
  expect((await vote({ ...formerHeaders, 'X-Expected-Epoch': epoch.toUpperCase() })).status).toBe(200);
  await expectMismatch(await vote(formerHeaders));
});

test('a new poll that expects another epoch gets actor_mismatch and has no effect', async () => {
  const headers = { 'Idempotency-Key': randomUUID(), 'X-Expected-Epoch': await currentEpoch() };
  await renewEpoch(db);
  await expectMismatch(await postPoll(account, {}, headers));
  expect(await effectsOf(app, account)).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
});

test('reads that expect another epoch get actor_mismatch, and reads that expect none succeed', async () => {
  const ownPoll = await makePoll(account);
  const formerEpoch = await currentEpoch();
  const epoch = await renewEpoch(db);
  const paths = [
    '/api/user',
    '/api/questions',
    '/api/user/questions',
    '/api/trending',
    `/api/questions/${ownPoll.id}`,
  ];
  for (const path of paths) {
    for (const wrongEpoch of [formerEpoch, 'no-uuid', '', `${epoch}x`, randomUUID()]) {
      await expectMismatch(await account.get(path, { 'X-Expected-Epoch': wrongEpoch }));
    }
    expect([path, (await account.get(path, { 'X-Expected-Epoch': epoch })).status]).toEqual([path, 200]);
    expect([path, (await account.get(path)).status]).toEqual([path, 200]);
  }
});

test('a request that expects the current epoch but another user gets actor_mismatch', async () => {
  const headers = { 'X-Expected-User': String(maker.user.id), 'X-Expected-Epoch': await currentEpoch() };
  await expectMismatch(await account.get('/api/user', headers));
});

test('requests without a session get 401, whatever epoch they expect', async () => {
  const response = await app.visitor().get('/api/user', { 'X-Expected-Epoch': randomUUID() });
  expect([response.status, (await response.json()).code]).toEqual([401, 'unauthenticated']);
});

test.each([
  ['a creation', async () => ({ path: '/api/questions', ...(await pollForm({ id: randomUUID() })) })],
  [
    'a vote',
    async () => ({
      path: `/api/questions/${poll.id}/vote`,
      body: new TextEncoder().encode('{"option":1}').buffer,
      headers: { 'Content-Type': 'application/json' },
    }),
  ],
])(
  '%s during the renewal of the epoch gets actor_mismatch, with or without an expected epoch',
  async (_case, createRequest) => {
    for (const expectsEpoch of [true, false]) {
      const { path, body, headers } = await createRequest();
      const epoch: Record<string, string> = expectsEpoch ? { 'X-Expected-Epoch': await currentEpoch() } : {};
      const allHeaders = { ...headers, ...epoch, 'Idempotency-Key': randomUUID() };
      const response = await account.request(path, {
        ...slowPost(body, () => renewEpoch(db)),
        headers: allHeaders,
      });
      await expectMismatch(response);
    }
    expect(await effectsOf(app, account)).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
    expect((await db.sql`select from mutation_receipts where user_id = ${account.user.id}`).count).toBe(0);
  },
);
