import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import {
  addPasskey,
  authenticatorOf,
  enableSecondStep,
  loginOptions,
  ticketOf,
} from '#api/testing/passkeys.ts';
import {
  effectsOf,
  makePoll,
  openPoll,
  pollForm,
  postClose,
  postPoll,
  postVote,
  putVote,
} from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { slowPost } from '#api/testing/test-client.ts';
import type { User } from '#shared/accounts/schema.ts';
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
  const authenticator = authenticatorOf(app);
  for (let history = 1; history <= 2; history += 1) {
    const epoch = history === 1 ? await currentEpoch() : await renewEpoch(db);
    const newUser = await app.signUp();
    const { user, password } = newUser;
    const { id: pollId } = await openPoll(app, maker);
    const bodies: Record<string, User> = { 'POST /api/register': user };
    const record = async (name: string, sending: Promise<Response>) => {
      const body = await (await sending).json();
      bodies[name] = body.user ?? body;
      return body;
    };
    await record('GET /api/user', newUser.get('/api/user'));
    await record('POST /api/login', newUser.post('/api/login', { username: user.username, password }));
    await record('PATCH /api/user without a change', newUser.patch('/api/user', {}));
    await record('a vote', postVote(newUser, pollId, 1));
    await record('the repeated vote', postVote(newUser, pollId, 1));
    await record('the changed vote', putVote(newUser, pollId, 2));
    const { poll: ownPoll } = await record('a creation', postPoll(newUser));
    await record('closing early', postClose(newUser, ownPoll.id));
    await record('POST /api/user/deletion', newUser.post('/api/user/deletion', { password, polls: 'keep' }));
    await record('DELETE /api/user/deletion', newUser.delete('/api/user/deletion'));

    const passkey = await addPasskey(newUser, authenticator);
    const visitor = app.visitor();
    const assertion = authenticator.use(await loginOptions(visitor), passkey);
    await record('POST /api/login/passkey', visitor.post('/api/login/passkey', { passkey: assertion }));
    const [recoveryCode] = await enableSecondStep(newUser);
    const secondStep = { ticket: await ticketOf(visitor, newUser), recoveryCode };
    await record('POST /api/login/second-step', visitor.post('/api/login/second-step', secondStep));

    await record('PATCH /api/user', newUser.patch('/api/user', { username: `renamed${history}` }));
    const newPassword = { currentPassword: password, newPassword: 'tall lamp, cold river' };
    await record('POST /api/user/password', newUser.post('/api/user/password', newPassword));
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
