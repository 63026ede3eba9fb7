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
import type { TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp({ env: { isAdminPasskeyRequired: true } });
const { db, signUp, visitor } = app;
const authenticator = authenticatorOf(app);

async function refusalOf(response: Response) {
  return [response.status, (await response.json()).code];
}
const NEEDED = [403, 'passkey_needed'];
const check = (client: TestClient) => client.get('/api/admin/check');

test('an administrator without a passkey can log in, but the calls for administrators are refused', async () => {
  const admin = await signUpAdmin(app);
  const client = visitor();
  const login = { username: admin.user.username, password: admin.password };
  expect((await client.post('/api/login', login)).status).toBe(200);
  for (const path of ['/api/admin/check', '/api/admin/users', '/api/admin/no-such-call']) {
    expect(await refusalOf(await client.get(path))).toEqual(NEEDED);
  }
  expect(await refusalOf(await client.post('/api/admin/generate-polls', { count: 1 }))).toEqual(NEEDED);
  expect((await client.get('/api/user')).status).toBe(200);
});

test('other users get the usual refusal', async () => {
  expect(await refusalOf(await check(await signUp()))).toEqual([403, 'not_admin']);
  expect((await check(visitor())).status).toBe(401);
});

test('adding a passkey permits the calls, and it is required at the next login', async () => {
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

test('a session created earlier by password alone needs the passkey', async () => {
  const admin = await signUpAdmin(app);
  const older = visitor();
  await older.post('/api/login', { username: admin.user.username, password: admin.password });
  const passkey = await addPasskey(admin, authenticator);
  expect(await refusalOf(await check(older))).toEqual(NEEDED);
  await confirm(admin, older);
  expect(await refusalOf(await check(older))).toEqual(NEEDED);
  const options = await (await older.post('/api/user/confirmation/options')).json();
  const confirmation = { passkey: authenticator.use(options, passkey) };
  expect((await older.post('/api/user/confirmation', confirmation)).status).toBe(204);
  expect((await check(older)).status).toBe(200);
});

test('a session created earlier by password alone cannot add another passkey', async () => {
  const admin = await signUpAdmin(app);
  const older = visitor();
  await older.post('/api/login', { username: admin.user.username, password: admin.password });
  await addPasskey(admin, authenticator);
  await confirm(admin, older);
  const options = await older.post('/api/passkeys/options');
  expect(await refusalOf(options)).toEqual([403, 'confirmation_needed']);
});

test('a login by passkey permits the calls', async () => {
  const admin = await signUpAdmin(app);
  const passkey = await addPasskey(admin, authenticator);
  const client = visitor();
  const assertion = authenticator.use(await loginOptions(client), passkey);
  expect((await client.post('/api/login/passkey', { passkey: assertion })).status).toBe(200);
  expect((await check(client)).status).toBe(200);
});

test('recovery codes can be created and used; the second step cannot be switched off', async () => {
  const admin = await signUpAdmin(app);
  await addPasskey(admin, authenticator);
  const { recoveryCodes } = await (await admin.post('/api/user/recovery-codes')).json();
  const off = await admin.delete('/api/user/second-step');
  expect(await refusalOf(off)).toEqual(NEEDED);
  const client = visitor();
  const input = { ticket: await ticketOf(client, admin), recoveryCode: recoveryCodes[3] };
  expect((await client.post('/api/login/second-step', input)).status).toBe(200);
  expect((await check(client)).status).toBe(200);
});

test('removing the last passkey refuses all calls again', async () => {
  const admin = await signUpAdmin(app);
  await addPasskey(admin, authenticator);
  const [{ id } = { id: '' }] = (await passkeysOf(admin)).passkeys;
  expect((await admin.delete(`/api/passkeys/${id}`)).status).toBe(200);
  expect(await refusalOf(await check(admin))).toEqual(NEEDED);
});

test('a user who becomes an administrator later needs the passkey from then on', async () => {
  const user = await signUp();
  await addPasskey(user, authenticator);
  const login = { username: user.user.username, password: user.password };
  expect((await visitor().post('/api/login', login)).status).toBe(200);
  await db.sql`update users set is_admin = true where id = ${user.user.id}`;
  expect(await ticketOf(visitor(), user)).toMatch(/^[\w-]{43}$/);
});
