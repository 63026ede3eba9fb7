import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { removeExpired } from '#api/housekeeping/housekeeping.ts';
import type { SoftPasskey } from '#api/testing/authenticator/authenticator.ts';
import {
  addPasskey,
  authenticatorOf,
  confirm,
  enableSecondStep,
  loginOptions,
  passkeysOf,
  ticketOf,
} from '#api/testing/passkeys.ts';
import { connect, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { statusAndCode, type TestClient } from '#api/testing/test-client.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';

const app = await createTestApp();
const address = await serveLive(app);
const { db, signUp, visitor } = app;
const authenticator = authenticatorOf(app);

const INVALID = [403, 'invalid_passkey'];

type Faults = Parameters<typeof authenticator.use>[2];

/** Requests a challenge and logs in with a passkey. */
async function logIn(passkey: SoftPasskey, faults: Faults = {}, client: TestClient = visitor()) {
  const assertion = authenticator.use(await loginOptions(client), passkey, faults);
  return client.post('/api/login/passkey', { passkey: assertion });
}

async function sessionCountOf({ user }: TestUser): Promise<number> {
  return (await db.sql`select from sessions where user_id = ${user.id}`).count;
}

test('a passkey logs in its user without a username or a password', async () => {
  const account = await signUp();
  const passkey = await addPasskey(account, authenticator);
  const before = await (await account.get('/api/user')).json();
  const client = visitor();
  const response = await logIn(passkey, {}, client);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ id: account.user.id, points: before.points + 1 });
  expect((await client.get('/api/user')).status).toBe(200);
  expect((await passkeysOf(client)).passkeys[0]?.lastUsedAt).not.toBeNull();
});

test('a login by passkey replaces the previous session of the browser', async () => {
  const [account, previousUser] = [await signUp(), await signUp()];
  const passkey = await addPasskey(account, authenticator);
  expect((await logIn(passkey, {}, previousUser)).status).toBe(200);
  expect(await sessionCountOf(previousUser)).toBe(0);
  expect((await (await previousUser.get('/api/user')).json()).id).toBe(account.user.id);
});

test('the login options differ between clients only in the challenge', async () => {
  await addPasskey(await signUp(), authenticator);
  const [firstOptions, secondOptions] = [await loginOptions(visitor()), await loginOptions(visitor())];
  expect(firstOptions.challenge).not.toBe(secondOptions.challenge);
  expect({ ...firstOptions, challenge: '' }).toEqual({ ...secondOptions, challenge: '' });
  expect(firstOptions).toMatchObject({
    rpId: 'localhost',
    allowCredentials: [],
    userVerification: 'required',
  });
});

test.each([
  ['another origin', { origin: 'http://127.0.0.1:3000' }],
  ['another relying party', { rpId: 'elsewhere.example' }],
  ['no user verification', { isUserVerified: false }],
  ['another user’s handle', { userHandle: Buffer.from('user 15').toString('base64url') }],
  ['the signature of another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  ['the type of an attestation', { type: 'webauthn.create' }],
  ['an unknown challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
])('an assertion with %s is refused', async (_, faults) => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticator);
  expect(await statusAndCode(await logIn(passkey, faults))).toEqual(INVALID);
  expect((await logIn(passkey)).status).toBe(200);
});

test('of three identical concurrent logins with one challenge, only one creates a session', async () => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticator);
  const before = await sessionCountOf(user);
  const assertion = authenticator.use(await loginOptions(visitor()), passkey);
  const send = () => visitor().post('/api/login/passkey', { passkey: assertion });
  const responses = await Promise.all([send(), send(), send()]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
  expect(await statusAndCode(await send())).toEqual(INVALID);
  expect(await sessionCountOf(user)).toBe(before + 1);
});

test('a challenge that has failed once, has expired or has another purpose is refused', async () => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticator);
  const options = await loginOptions(visitor());
  const send = (requestOptions: typeof options, faults: Faults = {}) =>
    visitor().post('/api/login/passkey', { passkey: authenticator.use(requestOptions, passkey, faults) });
  expect(await statusAndCode(await send(options, { rpId: 'elsewhere.example' }))).toEqual(INVALID);
  expect(await statusAndCode(await send(options))).toEqual(INVALID);

  const expiredOptions = await loginOptions(visitor());
  await db.sql`update passkey_challenges set expires_at = now()`;
  expect(await statusAndCode(await send(expiredOptions))).toEqual(INVALID);

  await confirm(user);
  const confirmation = await (await user.post('/api/user/confirmation/options')).json();
  expect(await statusAndCode(await send(confirmation))).toEqual(INVALID);
  const addition = await (await user.post('/api/passkeys/options')).json();
  expect(await statusAndCode(await send(addition))).toEqual(INVALID);
  expect(await statusAndCode(await visitor().post('/api/login/passkey', { passkey: {} }))).toEqual([
    400,
    'invalid_input',
  ]);
});

test('a login whose signature counter has not increased is refused', async () => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticator);
  expect((await logIn(passkey, { counter: 10 })).status).toBe(200);
  expect(await statusAndCode(await logIn(passkey, { counter: 10 }))).toEqual(INVALID);
  expect(await statusAndCode(await logIn(passkey, { counter: 4 }))).toEqual(INVALID);
  expect(await statusAndCode(await logIn(passkey, { counter: 0 }))).toEqual(INVALID);
  const responses = await Promise.all([logIn(passkey, { counter: 11 }), logIn(passkey, { counter: 11 })]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  expect((await logIn(passkey, { counter: 12 })).status).toBe(200);
});

test('a signature counter can use all of its 32 bits', async () => {
  const passkey = await addPasskey(await signUp(), authenticator);
  expect((await logIn(passkey, { counter: 2 ** 31 })).status).toBe(200);
  expect(await statusAndCode(await logIn(passkey, { counter: 2 ** 31 }))).toEqual(INVALID);
  expect((await logIn(passkey, { counter: 2 ** 32 - 1 })).status).toBe(200);
});

test('a passkey that is synced between devices, whose counter is always 0, can log in repeatedly', async () => {
  const user = await signUp();
  const synced = authenticatorOf(app, { isSynced: true });
  const passkey = await addPasskey(user, synced);
  for (const _ of [1, 2]) {
    const client = visitor();
    const assertion = synced.use(await loginOptions(client), passkey);
    expect((await client.post('/api/login/passkey', { passkey: assertion })).status).toBe(200);
  }
});

test('a user cannot log in with a removed passkey', async () => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticator);
  const [listedPasskey] = (await passkeysOf(user)).passkeys;
  expect((await user.delete(`/api/passkeys/${listedPasskey?.id}`)).status).toBe(200);
  expect(await statusAndCode(await logIn(passkey))).toEqual(INVALID);
});

test('removing a passkey ends exactly the other sessions that it has opened, and closes their sockets', async () => {
  const user = await signUp();
  const [removedPasskey, keptPasskey] = [
    await addPasskey(user, authenticator),
    await addPasskey(user, authenticator),
  ];
  const [removedBrowser, keptBrowser, secondStepBrowser, recoveryBrowser] = [
    visitor(),
    visitor(),
    visitor(),
    visitor(),
  ];
  for (const [passkey, client] of [
    [removedPasskey, removedBrowser],
    [keptPasskey, keptBrowser],
  ] as const)
    await logIn(passkey, {}, client);
  const [recoveryCode = ''] = await enableSecondStep(user);
  const ticket = await ticketOf(secondStepBrowser, user);
  const options = await (await secondStepBrowser.post('/api/login/second-step/options', { ticket })).json();
  await secondStepBrowser.post('/api/login/second-step', {
    ticket,
    passkey: authenticator.use(options, removedPasskey),
  });
  await recoveryBrowser.post('/api/login/second-step', {
    ticket: await ticketOf(recoveryBrowser, user),
    recoveryCode,
  });
  const clients = [user, removedBrowser, keptBrowser, secondStepBrowser, recoveryBrowser];
  const statuses = () => Promise.all(clients.map(async (client) => (await client.get('/api/user')).status));
  expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  const socket = await connect(address, removedBrowser);

  const ids = (await passkeysOf(user)).passkeys.map(({ id }) => id);
  expect((await user.delete(`/api/passkeys/${ids[0]}`)).status).toBe(200);
  expect(await statuses()).toEqual([200, 401, 200, 401, 200]);
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  // A passkey removed in the session that it has opened does not end that session.
  expect((await keptBrowser.delete(`/api/passkeys/${ids[1]}`)).status).toBe(200);
  expect(await statuses()).toEqual([200, 401, 200, 401, 200]);
});

test('a suspended user gets the error `suspended` and no session', async () => {
  const account = await signUp();
  const passkey = await addPasskey(account, authenticator);
  await db.sql`update users set is_suspended = true where id = ${account.user.id}`;
  const client = visitor();
  expect(await statusAndCode(await logIn(passkey, {}, client))).toEqual([403, 'suspended']);
  expect(client.cookies.has('sid')).toBe(false);
});

test('a login by passkey needs no second step', async () => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticator);
  await enableSecondStep(user);
  expect((await logIn(passkey)).status).toBe(200);
});

test('a session opened by passkey is confirmed', async () => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticator);
  const client = visitor();
  await logIn(passkey, {}, client);
  expect((await client.post('/api/passkeys/options')).status).toBe(200);
});

test('requests for challenges and logins by passkey are rate-limited per client', async () => {
  const user = await signUp();
  const { client, limits } = limitedClient(app, user);
  const options = await loginOptions(client);
  await useUp(limits.challengesOfClient, '127.0.0.1');
  expect((await client.post('/api/login/passkey/options')).status).toBe(429);
  await useUp(limits.loginsOfClient, '127.0.0.1');
  const passkey = authenticator.use(options, await addPasskey(user, authenticator));
  expect((await client.post('/api/login/passkey', { passkey })).status).toBe(429);
});

test('expired challenges are deleted, and others are kept', async () => {
  await loginOptions(visitor());
  await db.sql`update passkey_challenges set expires_at = now() - interval '1 second'`;
  await loginOptions(visitor());
  await removeExpired(db);
  expect((await db.sql`select from passkey_challenges`).count).toBe(1);
});
