import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { androidKeyAttestation, selfAttestation } from '#api/testing/authenticator/attestation-statements.ts';
import { mailTo } from '#api/testing/mails.ts';
import { addPasskey, authenticatorOf, confirm, passkeysOf, unconfirm } from '#api/testing/passkeys.ts';
import { closeServer, listenLocally } from '#api/testing/servers/local-server.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { statusAndCode, type TestClient } from '#api/testing/test-client.ts';
import { PASSKEYS_MAX } from '#shared/accounts/constants.ts';

const app = await createTestApp();
const { db, signUp, visitor } = app;

const INVALID = [403, 'invalid_passkey'];
const optionsFor = async (client: TestClient) => (await client.post('/api/passkeys/options')).json();
const namesOf = async (client: TestClient) => (await passkeysOf(client)).passkeys.map(({ name }) => name);

async function logInToSecondBrowser({ user, password }: TestUser) {
  const client = visitor();
  await client.post('/api/login', { username: user.username, password });
  return client;
}

test('a passkey can be added after confirming the password, and a mail announces it', async () => {
  const account = await signUp();
  expect(await statusAndCode(account.post('/api/passkeys/options'))).toEqual([403, 'confirmation_needed']);
  const wrongConfirmation = account.post('/api/user/confirmation', { currentPassword: 'not this one' });
  expect(await statusAndCode(wrongConfirmation)).toEqual([403, 'wrong_password']);
  expect(await statusAndCode(account.post('/api/user/confirmation', {}))).toEqual([403, 'wrong_password']);
  expect(await statusAndCode(account.post('/api/passkeys/options'))).toEqual([403, 'confirmation_needed']);

  await addPasskey(account, authenticatorOf(app, { isSynced: true }), '  Mara’s phone ');
  expect(await passkeysOf(account)).toMatchObject({
    passkeys: [{ name: 'Mara’s phone', isBackedUp: true, lastUsedAt: null }],
    secondStep: false,
    secondStepRequired: false,
    recoveryCodesLeft: 0,
    recoveryCodesMadeAt: null,
  });
  expect((await mailTo(app, account.user.email)).subject).toBe('A passkey was added to your account');
});

test('a passkey without a name gets the name of the browser', async () => {
  const user = await signUp();
  await confirm(user);
  const { attestation } = authenticatorOf(app).create(await optionsFor(user));
  const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  expect((await user.post('/api/passkeys', { passkey: attestation }, headers)).status).toBe(201);
  expect(await namesOf(user)).toEqual(['Firefox on Linux']);
});

test('the options for a new passkey contain the site and the existing passkeys of the user', async () => {
  const user = await signUp();
  const passkey = await addPasskey(user, authenticatorOf(app));
  const options = await optionsFor(user);
  expect(options.rp).toEqual({ id: 'localhost', name: 'This or That?' });
  expect(options.excludeCredentials).toEqual([
    { id: passkey.id, type: 'public-key', transports: ['internal', 'hybrid'] },
  ]);
  expect(Buffer.from(options.challenge, 'base64url').length).toBeGreaterThanOrEqual(32);
});

test('a confirmation lasts five minutes and is valid for its session only', async () => {
  const account = await signUp();
  const secondBrowser = await logInToSecondBrowser(account);
  await confirm(account);
  expect(await statusAndCode(secondBrowser.post('/api/passkeys/options'))).toEqual([
    403,
    'confirmation_needed',
  ]);
  await db.sql`update sessions set confirmed_at = confirmed_at - interval '290 seconds' where user_id = ${account.user.id}`;
  expect((await account.post('/api/passkeys/options')).status).toBe(200);
  await db.sql`update sessions set confirmed_at = confirmed_at - interval '10 seconds' where user_id = ${account.user.id}`;
  expect(await statusAndCode(account.post('/api/passkeys/options'))).toEqual([403, 'confirmation_needed']);
});

test('a repeated or concurrent identical request adds one passkey and sends one mail', async () => {
  const account = await signUp();
  await confirm(account);
  const { attestation } = authenticatorOf(app).create(await optionsFor(account));
  const send = () => account.post('/api/passkeys', { passkey: attestation, name: 'Once' });
  const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
  expect(statuses).toContain(201);
  expect((await send()).status).toBe(201);
  expect(await namesOf(account)).toEqual(['Once']);
  const mails = await db.sql`
    select from mail_queue where user_id = ${account.user.id} and purpose = 'passkey-added'`;
  expect(mails.count).toBe(1);
});

test.each([
  ['another origin', { origin: 'https://elsewhere.example' }],
  ['another relying party', { rpId: 'elsewhere.example' }],
  ['no user verification', { isUserVerified: false }],
  ['an assertion instead of an attestation', { type: 'webauthn.get' }],
  ['an unknown challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
])('a passkey with %s is refused', async (_, faults) => {
  const user = await signUp();
  await confirm(user);
  const { attestation } = authenticatorOf(app).create(await optionsFor(user), faults);
  expect(await statusAndCode(user.post('/api/passkeys', { passkey: attestation, name: 'x' }))).toEqual(
    INVALID,
  );
  expect(await namesOf(user)).toEqual([]);
});

test('a passkey with a self attestation is added', async () => {
  const user = await signUp();
  await confirm(user);
  const { attestation } = authenticatorOf(app).create(await optionsFor(user), { attest: selfAttestation });
  expect((await user.post('/api/passkeys', { passkey: attestation, name: 'Own key' })).status).toBe(201);
  expect(await namesOf(user)).toEqual(['Own key']);
});

test('an attestation with certificates is refused, and no revocation list is fetched', async () => {
  const requests: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requests.push(url);
    response.end();
  });
  const port = await listenLocally(server);
  onTestFinished(() => closeServer(server));
  const user = await signUp();
  await confirm(user);
  const attest = androidKeyAttestation(`http://127.0.0.1:${port}/crl`);
  const { attestation } = authenticatorOf(app).create(await optionsFor(user), { attest });
  expect(await statusAndCode(user.post('/api/passkeys', { passkey: attestation, name: 'x' }))).toEqual(
    INVALID,
  );
  expect(await namesOf(user)).toEqual([]);
  expect(requests).toEqual([]);
});

test('a challenge is valid once, until it expires, for one user, session and purpose', async () => {
  const [account, stranger] = [await signUp(), await signUp()];
  const secondBrowser = await logInToSecondBrowser(account);
  await Promise.all([confirm(account), confirm(stranger), confirm(account, secondBrowser)]);
  const authenticator = authenticatorOf(app);
  const options = await optionsFor(account);
  const addAs = (client: TestClient, creationOptions = options) =>
    client.post('/api/passkeys', { passkey: authenticator.create(creationOptions).attestation, name: 'x' });
  expect(await statusAndCode(addAs(stranger))).toEqual(INVALID);
  expect(await statusAndCode(addAs(secondBrowser))).toEqual(INVALID);
  const login = await (await visitor().post('/api/login/passkey/options')).json();
  expect(await statusAndCode(addAs(account, { ...options, challenge: login.challenge }))).toEqual(INVALID);
  // None of these attempts has used up the challenge.
  expect((await addAs(account)).status).toBe(201);
  expect(await statusAndCode(addAs(account))).toEqual(INVALID);

  const expiredOptions = await optionsFor(account);
  await db.sql`update passkey_challenges set expires_at = now() where user_id = ${account.user.id}`;
  expect(await statusAndCode(addAs(account, expiredOptions))).toEqual(INVALID);
  expect(await namesOf(account)).toEqual(['x']);
});

test('a refused passkey uses up its challenge', async () => {
  const user = await signUp();
  await confirm(user);
  const options = await optionsFor(user);
  const add = (faults: object) =>
    user.post('/api/passkeys', {
      passkey: authenticatorOf(app).create(options, faults).attestation,
      name: 'x',
    });
  expect(await statusAndCode(add({ origin: 'https://elsewhere.example' }))).toEqual(INVALID);
  expect(await statusAndCode(add({}))).toEqual(INVALID);
});

test('changing the password voids earlier challenges', async () => {
  const user = await signUp();
  await confirm(user);
  const { attestation } = authenticatorOf(app).create(await optionsFor(user));
  const change = { currentPassword: user.password, newPassword: 'tall lamp, cold river' };
  expect((await user.post('/api/user/password', change)).status).toBe(200);
  expect(await statusAndCode(user.post('/api/passkeys', { passkey: attestation, name: 'x' }))).toEqual(
    INVALID,
  );
});

test('a passkey with the id of another user’s passkey is refused', async () => {
  const [user, thief] = [await signUp(), await signUp()];
  const { id } = await addPasskey(user, authenticatorOf(app));
  await confirm(thief);
  const { attestation } = authenticatorOf(app).create(await optionsFor(thief), {}, id);
  expect(await statusAndCode(thief.post('/api/passkeys', { passkey: attestation, name: 'x' }))).toEqual(
    INVALID,
  );
  expect(await namesOf(thief)).toEqual([]);
});

test('a passkey whose id is too long, or differs from that in its attestation, is refused', async () => {
  const user = await signUp();
  await confirm(user);
  const create = async (idBytes: number) =>
    authenticatorOf(app).create(await optionsFor(user), {}, randomBytes(idBytes).toString('base64url'))
      .attestation;
  const add = (passkey: unknown) => statusAndCode(user.post('/api/passkeys', { passkey, name: 'x' }));
  for (const idBytes of [16, 3_000]) {
    expect(await add({ ...(await create(idBytes)), id: 'AAAA', rawId: 'AAAA' })).toEqual(INVALID);
  }
  expect(await add(await create(3_000))).toEqual([400, 'invalid_input']);
  expect(await namesOf(user)).toEqual([]);
  // The longest id that WebAuthn allows.
  expect((await user.post('/api/passkeys', { passkey: await create(1_023), name: 'Long' })).status).toBe(201);
});

test('an account has at most twenty passkeys, even when the last two are added concurrently', async () => {
  const user = await signUp();
  const authenticator = authenticatorOf(app);
  for (let nth = 1; nth < PASSKEYS_MAX; nth += 1) await addPasskey(user, authenticator, `No. ${nth}`);
  const [firstOptions, secondOptions] = [await optionsFor(user), await optionsFor(user)];
  const add = (options: typeof firstOptions) =>
    user.post('/api/passkeys', { passkey: authenticator.create(options).attestation, name: 'The last' });
  const responses = await Promise.all([add(firstOptions), add(secondOptions)]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  expect(await namesOf(user)).toHaveLength(PASSKEYS_MAX);
  expect(await statusAndCode(user.post('/api/passkeys/options'))).toEqual([409, 'passkey_limit']);
});

test('passkeys can be renamed and removed only by their user in a confirmed session', async () => {
  const [account, stranger] = [await signUp(), await signUp()];
  await addPasskey(account, authenticatorOf(app));
  await confirm(stranger);
  const id = (await passkeysOf(account)).passkeys[0]?.id;
  const path = `/api/passkeys/${id}`;
  expect(await statusAndCode(stranger.patch(path, { name: 'Mine' }))).toEqual([404, 'not_found']);
  expect(await statusAndCode(stranger.delete(path))).toEqual([404, 'not_found']);
  await unconfirm(app, account);
  expect(await statusAndCode(account.patch(path, { name: 'Blue key' }))).toEqual([
    403,
    'confirmation_needed',
  ]);
  expect(await statusAndCode(account.delete(path))).toEqual([403, 'confirmation_needed']);

  await confirm(account);
  expect(await statusAndCode(account.patch(path, { name: ' ' }))).toEqual([400, 'invalid_input']);
  const renamed = await (await account.patch(path, { name: 'Blue key' })).json();
  expect(renamed.passkeys).toMatchObject([{ id, name: 'Blue key' }]);
  const removals = await Promise.all([account.delete(path), account.delete(path)]);
  expect(removals.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  expect(await namesOf(account)).toEqual([]);
  expect((await mailTo(app, account.user.email)).subject).toBe('A passkey was removed from your account');
});

test('a passkey confirms a session in place of the password', async () => {
  const user = await signUp();
  expect(await statusAndCode(user.post('/api/user/confirmation/options'))).toEqual([409, 'no_passkey']);
  const authenticator = authenticatorOf(app);
  const passkey = await addPasskey(user, authenticator);
  await unconfirm(app, user);
  const options = await (await user.post('/api/user/confirmation/options')).json();
  expect(options.allowCredentials).toMatchObject([{ id: passkey.id }]);

  const stranger = await signUp();
  const foreignPasskey = await addPasskey(stranger, authenticatorOf(app));
  const confirmWith = (usedPasskey: typeof passkey, requestOptions = options) =>
    user.post('/api/user/confirmation', { passkey: authenticator.use(requestOptions, usedPasskey) });
  expect(await statusAndCode(confirmWith(foreignPasskey))).toEqual(INVALID);
  expect(await statusAndCode(user.post('/api/passkeys/options'))).toEqual([403, 'confirmation_needed']);

  const newOptions = await (await user.post('/api/user/confirmation/options')).json();
  expect((await confirmWith(passkey, newOptions)).status).toBe(204);
  expect((await user.post('/api/passkeys/options')).status).toBe(200);
});

test('a challenge for a confirmation cannot add a passkey, and vice versa', async () => {
  const user = await signUp();
  const authenticator = authenticatorOf(app);
  const passkey = await addPasskey(user, authenticator);
  const confirmation = await (await user.post('/api/user/confirmation/options')).json();
  const addition = await optionsFor(user);
  const { attestation } = authenticator.create({ ...addition, challenge: confirmation.challenge });
  expect(await statusAndCode(user.post('/api/passkeys', { passkey: attestation }))).toEqual(INVALID);
  const assertion = authenticator.use({ ...confirmation, challenge: addition.challenge }, passkey);
  expect(await statusAndCode(user.post('/api/user/confirmation', { passkey: assertion }))).toEqual(INVALID);
});

test('wrong passwords and requests for challenges are rate-limited', async () => {
  const account = await signUp();
  const { client, limits } = limitedClient(app, account);
  await useUp(limits.wrongPasswordsOfUser, account.user.id);
  expect((await client.post('/api/user/confirmation', { currentPassword: 'x' })).status).toBe(429);
  await confirm(account);
  await useUp(limits.challengesOfUser, account.user.id);
  expect((await client.post('/api/passkeys/options')).status).toBe(429);
  expect((await client.post('/api/user/confirmation/options')).status).toBe(429);
});
