import { expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import {
  addPasskey,
  authenticatorOf,
  confirm,
  loginOptions,
  passkeysOf,
  ticketOf,
} from '#api/testing/passkeys.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { statusAndCode, type TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp({ env: { isAdminPasskeyRequired: true } });
const { db, signUp, visitor } = app;
const authenticator = authenticatorOf(app);

const PASSKEY_NEEDED = [403, 'passkey_needed'];
const check = (client: TestClient) => client.get('/api/admin/check');

test('an administrator without a passkey can log in, but not make calls for administrators', async () => {
  const admin = await signUpAdmin(app);
  const client = visitor();
  const login = { username: admin.user.username, password: admin.password };
  expect((await client.post('/api/login', login)).status).toBe(200);
  for (const path of ['/api/admin/check', '/api/admin/users', '/api/admin/no-such-call']) {
    expect(await statusAndCode(await client.get(path))).toEqual(PASSKEY_NEEDED);
  }
  expect(await statusAndCode(await client.post('/api/admin/generate-polls', { count: 1 }))).toEqual(
    PASSKEY_NEEDED,
  );
  expect((await client.get('/api/user')).status).toBe(200);
});

test('a user without administrator rights gets the error `not_admin`, and a visitor gets 401', async () => {
  expect(await statusAndCode(await check(await signUp()))).toEqual([403, 'not_admin']);
  expect((await check(visitor())).status).toBe(401);
});

test('an administrator can make calls for administrators after adding a passkey, and needs it at the next login', async () => {
  const admin = await signUpAdmin(app);
  const passkey = await addPasskey(admin, authenticator);
  expect((await check(admin)).status).toBe(200);
  expect(await passkeysOf(admin)).toMatchObject({ secondStep: true, secondStepRequired: true });

  const ticket = await ticketOf(visitor(), admin);
  const client = visitor();
  const options = await (await client.post('/api/login/second-step/options', { ticket })).json();
  const input = { ticket, passkey: authenticator.use(options, passkey) };
  expect((await client.post('/api/login/second-step', input)).status).toBe(200);
  expect((await check(client)).status).toBe(200);
});

test('a session opened by password before the passkey was added has to confirm with the passkey', async () => {
  const admin = await signUpAdmin(app);
  const olderSession = visitor();
  await olderSession.post('/api/login', { username: admin.user.username, password: admin.password });
  const passkey = await addPasskey(admin, authenticator);
  expect(await statusAndCode(await check(olderSession))).toEqual(PASSKEY_NEEDED);
  await confirm(admin, olderSession);
  expect(await statusAndCode(await check(olderSession))).toEqual(PASSKEY_NEEDED);
  const options = await (await olderSession.post('/api/user/confirmation/options')).json();
  const confirmation = { passkey: authenticator.use(options, passkey) };
  expect((await olderSession.post('/api/user/confirmation', confirmation)).status).toBe(204);
  expect((await check(olderSession)).status).toBe(200);
});

test('a session opened by password before the passkey was added cannot add another passkey', async () => {
  const admin = await signUpAdmin(app);
  const olderSession = visitor();
  await olderSession.post('/api/login', { username: admin.user.username, password: admin.password });
  await addPasskey(admin, authenticator);
  await confirm(admin, olderSession);
  const options = await olderSession.post('/api/passkeys/options');
  expect(await statusAndCode(options)).toEqual([403, 'confirmation_needed']);
});

test('an administrator who logs in by passkey can make calls for administrators', async () => {
  const admin = await signUpAdmin(app);
  const passkey = await addPasskey(admin, authenticator);
  const client = visitor();
  const assertion = authenticator.use(await loginOptions(client), passkey);
  expect((await client.post('/api/login/passkey', { passkey: assertion })).status).toBe(200);
  expect((await check(client)).status).toBe(200);
});

test('an administrator can create and use recovery codes, but not switch off the second step', async () => {
  const admin = await signUpAdmin(app);
  await addPasskey(admin, authenticator);
  const { recoveryCodes } = await (await admin.post('/api/user/recovery-codes')).json();
  const response = await admin.delete('/api/user/second-step');
  expect(await statusAndCode(response)).toEqual(PASSKEY_NEEDED);
  const client = visitor();
  const input = { ticket: await ticketOf(client, admin), recoveryCode: recoveryCodes[3] };
  expect((await client.post('/api/login/second-step', input)).status).toBe(200);
  expect((await check(client)).status).toBe(200);
});

test('an administrator who removes the last passkey can no longer make calls for administrators', async () => {
  const admin = await signUpAdmin(app);
  await addPasskey(admin, authenticator);
  const [passkey] = (await passkeysOf(admin)).passkeys;
  expect((await admin.delete(`/api/passkeys/${passkey?.id}`)).status).toBe(200);
  expect(await statusAndCode(await check(admin))).toEqual(PASSKEY_NEEDED);
});

test('a user who becomes an administrator needs their passkey at the next login', async () => {
  const account = await signUp();
  await addPasskey(account, authenticator);
  const login = { username: account.user.username, password: account.password };
  expect((await visitor().post('/api/login', login)).status).toBe(200);
  await db.sql`update users set is_admin = true where id = ${account.user.id}`;
  expect(await ticketOf(visitor(), account)).toMatch(/^[\w-]{43}$/);
});
