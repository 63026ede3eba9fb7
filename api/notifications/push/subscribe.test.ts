import { describe, expect, test } from 'vitest';
import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import { removeExpired } from '#api/housekeeping/housekeeping.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { createBrowser } from '#api/testing/external-services/push-service.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { PUSH_DEVICES_MAX } from '#shared/notifications/constants.ts';

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);

const newSubscription = () => createBrowser('https://push.example.org').subscription;
const putSubscription = (client: TestClient, subscription: unknown) =>
  client.request('/api/push', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(subscription),
  });
const endpointOf = async (client: TestClient): Promise<string | null> =>
  (await (await client.get('/api/push')).json()).endpoint;

/** The endpoints of a user's subscriptions, oldest first. */
async function endpointsOf({ user }: TestUser): Promise<string[]> {
  const rows = await db.sql<{ endpoint: string }[]>`
    select endpoint from push_subscriptions join sessions on sessions.id = session_id
    where user_id = ${user.id} order by push_subscriptions.id`;
  return rows.map(({ endpoint }) => endpoint);
}

/** Logs a user in on another device. */
async function logInAgain({ user, password }: TestUser): Promise<TestClient> {
  const client = app.visitor();
  await client.post('/api/login', { username: user.username, password });
  return client;
}

async function signUpSubscriber() {
  const account = await app.signUp();
  const subscription = newSubscription();
  expect((await putSubscription(account, subscription)).status).toBe(204);
  return { account, subscription };
}

test('a browser subscribes with the public key, idempotently, and unsubscribes', async () => {
  const user = await app.signUp();
  expect(await (await user.get('/api/push')).json()).toEqual({
    publicKey: expect.stringMatching(/^B[\w-]{86}$/),
    endpoint: null,
  });
  const subscription = newSubscription();
  await putSubscription(user, subscription);
  const [before] = await db.sql`select id from push_subscriptions where endpoint = ${subscription.endpoint}`;
  await Promise.all([1, 2, 3].map(() => putSubscription(user, subscription)));
  // The row is still the same, and keeps its queued messages.
  expect(await db.sql`select id from push_subscriptions where endpoint = ${subscription.endpoint}`).toEqual([
    before,
  ]);
  expect(await endpointOf(user)).toBe(subscription.endpoint);
  for (let count = 0; count < 2; count += 1) expect((await user.delete('/api/push')).status).toBe(204);
  expect(await endpointOf(user)).toBeNull();
});

test('a new endpoint or new keys of the same browser replace the previous ones', async () => {
  const { account, subscription } = await signUpSubscriber();
  const newest = newSubscription();
  await putSubscription(account, { ...subscription, keys: newest.keys });
  const [{ auth } = { auth: '' }] = await db.sql`
    select auth from push_subscriptions where endpoint = ${subscription.endpoint}`;
  expect(auth).toBe(newest.keys.auth);
  await putSubscription(account, newest);
  expect(await endpointsOf(account)).toEqual([newest.endpoint]);
});

test('each device has its own subscription, and unsubscribing one device keeps the others', async () => {
  const { account, subscription } = await signUpSubscriber();
  const otherDevice = await logInAgain(account);
  expect(await endpointOf(otherDevice)).toBeNull();
  const otherSubscription = newSubscription();
  await putSubscription(otherDevice, otherSubscription);
  await otherDevice.delete('/api/push');
  expect(await endpointsOf(account)).toEqual([subscription.endpoint]);
});

test('an endpoint moves to the user who is now logged in on the device', async () => {
  const { account, subscription } = await signUpSubscriber();
  const nextUser = await app.signUp();
  await putSubscription(nextUser, subscription);
  expect([await endpointsOf(account), await endpointsOf(nextUser)]).toEqual([[], [subscription.endpoint]]);
});

test('an endpoint that several sessions subscribe concurrently belongs to one of them', async () => {
  const users = [await app.signUp(), await app.signUp(), await app.signUp()];
  const subscription = newSubscription();
  const responses = await Promise.all(users.map((user) => putSubscription(user, subscription)));
  expect(responses.map(({ status }) => status)).toEqual([204, 204, 204]);
  const endpoints = await Promise.all(users.map(endpointsOf));
  expect(endpoints.flat()).toEqual([subscription.endpoint]);
});

test('beyond the maximum number of devices the oldest subscription is removed, even with concurrent calls', async () => {
  const user = await app.signUp();
  const devices = await Promise.all(Array.from({ length: PUSH_DEVICES_MAX + 3 }, () => logInAgain(user)));
  await Promise.all(devices.map((device) => putSubscription(device, newSubscription())));
  const before = await endpointsOf(user);
  expect(before).toHaveLength(PUSH_DEVICES_MAX);
  const newest = newSubscription();
  await putSubscription(user, newest);
  expect(await endpointsOf(user)).toEqual([...before.slice(1), newest.endpoint]);
});

describe('the subscription of a device ends with', () => {
  test('its logout', async () => {
    const { account } = await signUpSubscriber();
    await account.post('/api/logout');
    expect(await endpointsOf(account)).toEqual([]);
  });

  test('the end of its session by another device', async () => {
    const { account } = await signUpSubscriber();
    const otherDevice = await logInAgain(account);
    const remaining = newSubscription();
    await putSubscription(otherDevice, remaining);
    await otherDevice.delete('/api/sessions');
    expect(await endpointsOf(account)).toEqual([remaining.endpoint]);
  });

  test('the expiry of its session', async () => {
    const { account } = await signUpSubscriber();
    await db.sql`update sessions set last_seen_at = now() - interval '15 days' where user_id = ${account.user.id}`;
    await removeExpired(db);
    expect(await endpointsOf(account)).toEqual([]);
  });

  test('the login of another user', async () => {
    const { account } = await signUpSubscriber();
    const otherUser = await app.signUp();
    await account.post('/api/login', { username: otherUser.user.username, password: otherUser.password });
    expect(await endpointsOf(account)).toEqual([]);
  });

  test('a password reset by mail', async () => {
    const { account } = await signUpSubscriber();
    await app.visitor().post('/api/forgot-password', { email: account.user.email });
    const token = tokenIn(await mailTo(app, account.user.email));
    await app.visitor().post('/api/reset-password', { token, password: 'a brand new password' });
    expect(await endpointsOf(account)).toEqual([]);
  });

  test('a suspension, and the deletion of the account', async () => {
    const [suspended, leaving] = [await signUpSubscriber(), await signUpSubscriber()];
    await admin.post(`/api/admin/users/${suspended.account.user.id}/suspend`, {});
    expect(await endpointsOf(suspended.account)).toEqual([]);
    await db.sql`
      update users set deletion_due_at = now(), deletion_polls = 'keep' where id = ${leaving.account.user.id}`;
    await deleteDueAccounts(deps);
    expect(
      await db.sql`select from push_subscriptions where endpoint = ${leaving.subscription.endpoint}`,
    ).toHaveLength(0);
  });
});

test.each([
  ['a private address', { endpoint: 'https://10.0.0.1/x' }],
  ['a port', { endpoint: 'https://push.example.org:9200/x' }],
  ['http', { endpoint: 'http://push.example.org/x' }],
  ['a long URL', { endpoint: `https://push.example.org/${'x'.repeat(2_000)}` }],
  ['a number', { endpoint: 7 }],
  ['a short key', { keys: { p256dh: 'x', auth: 'x' } }],
  [
    'a public key that is not on the curve',
    { keys: { ...newSubscription().keys, p256dh: `B${'A'.repeat(86)}` } },
  ],
  ['no keys', { keys: undefined }],
])('rejects a subscription with %s', async (_case, invalidPart) => {
  const user = await app.signUp();
  const response = await putSubscription(user, { ...newSubscription(), ...invalidPart });
  expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_input']);
  expect(await endpointsOf(user)).toEqual([]);
});

test('subscribing is rate-limited', async () => {
  const user = await app.signUp();
  const { client, limits } = limitedClient(app, user);
  await useUp(limits.pushSubscriptionsOfUser, user.user.id, { callsLeft: 1 });
  expect((await putSubscription(client, newSubscription())).status).toBe(204);
  expect((await putSubscription(client, newSubscription())).status).toBe(429);
});
