import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import {
  addPasskey,
  authenticatorOf,
  enableSecondStep,
  passkeysOf,
  ticketOf,
} from '#api/testing/passkeys.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import * as accounts from '#shared/accounts/contract.ts';
import * as passkeys from '#shared/accounts/passkeys/contract.ts';
import * as admin from '#shared/admin/contract.ts';
import type { Call } from '#shared/contract.ts';
import { createLog } from './log.ts';

type Line = { level: number; msg: string; requestId?: string; [field: string]: unknown };

const lines: string[] = [];
const log = createLog('info', { write: (line) => lines.push(line) });
const app = await createTestApp({ log, env: { trustProxy: 1 } });
const { signUp, visitor } = app;
const mara = await signUp({ username: 'Mara', email: 'mara@example.org' });
const administrator = await signUpAdmin(app);
const FROM = { 'X-Forwarded-For': '203.0.113.77' };
const DIGEST_OF_MARA = createHash('sha256').update('mara').digest('hex').slice(0, 16);

beforeEach(() => {
  lines.length = 0;
});

/** The security events since the test began, without time and message. */
const events = (): Record<string, unknown>[] =>
  lines
    .map((line): Line => JSON.parse(line))
    .filter(({ msg }) => msg === 'security event')
    .map(({ level, msg: _, time, ...event }) => ({ ...event, isWarning: level >= 40 }));

const disableSecondStep = (client: TestClient) => client.delete('/api/user/second-step');
const logIn = (username: string, password: string) =>
  visitor().post('/api/login', { username, password }, FROM);

test('a failed login is logged with its reason, the digest of the username, the network and the request', async () => {
  const response = await logIn('MARA', 'not the one');
  const { requestId } = await response.json();
  expect(events()).toEqual([
    {
      event: 'login',
      outcome: 'invalid_credentials',
      name: DIGEST_OF_MARA,
      network: '203.0.113.0/24',
      requestId,
      isWarning: true,
    },
  ]);
});

test('a successful login is logged with the account', async () => {
  expect((await logIn('Mara', mara.password)).status).toBe(200);
  expect(events()).toMatchObject([
    { event: 'login', outcome: 'ok', userId: mara.user.id, name: DIGEST_OF_MARA, isWarning: false },
  ]);
});

test('sign-ups, logouts, password resets, verified emails and changed accounts are logged', async () => {
  const tess = await signUp({ username: 'tess', email: 'tess@example.org' });
  const { id: userId } = tess.user;
  await visitor().get(`/api/verify-email?token=${tokenIn(await mailTo(app, 'tess@example.org'))}`);
  await tess.patch('/api/user', { username: 'tess.2' });
  await tess.post('/api/logout');
  await visitor().post('/api/forgot-password', { email: 'tess@example.org' });
  const token = tokenIn(await mailTo(app, 'tess@example.org'));
  const password = 'chosen by tess';
  await visitor().post('/api/reset-password', { token, password });
  await visitor().post('/api/reset-password', { token, password });
  expect(events()).toMatchObject([
    { event: 'sign_up', outcome: 'ok', userId },
    { event: 'email_verified', outcome: 'ok', userId },
    { event: 'account_change', outcome: 'ok', userId },
    { event: 'logout', outcome: 'ok', userId },
    { event: 'password_forgotten', outcome: 'ok' },
    { event: 'password_reset', outcome: 'ok', userId },
    { event: 'password_reset', outcome: 'invalid_token' },
  ]);
});

test('events of passkeys, the second step and recovery codes are logged with the account', async () => {
  const user = await signUp();
  const authenticator = authenticatorOf(app);
  lines.length = 0;
  await addPasskey(user, authenticator);
  await enableSecondStep(user);
  await user.post('/api/user/recovery-codes');
  await disableSecondStep(user);
  const [recoveryCode = ''] = await enableSecondStep(user);
  const ticket = await ticketOf(visitor(), user);
  await visitor().post('/api/login/second-step', { ticket, recoveryCode: 'wrong' });
  await visitor().post('/api/login/second-step', { ticket, recoveryCode });
  const [passkey] = (await passkeysOf(user)).passkeys;
  await user.delete(`/api/passkeys/${passkey?.id}`);
  const { id: userId } = user.user;
  expect(events().filter(({ event }) => event !== 'identity_confirmed')).toMatchObject([
    { event: 'passkey_added', outcome: 'ok', userId },
    { event: 'second_step_on', outcome: 'ok', userId },
    { event: 'recovery_codes_renewed', outcome: 'ok', userId },
    { event: 'second_step_off', outcome: 'ok', userId },
    { event: 'second_step_on', outcome: 'ok', userId },
    { event: 'login', outcome: 'passkey_required' },
    { event: 'login', outcome: 'invalid_recovery_code', userId },
    { event: 'recovery_code_used', outcome: 'ok', userId },
    { event: 'login', outcome: 'ok', userId },
    { event: 'passkey_removed', outcome: 'ok', userId },
  ]);
});

test('actions of administrators are logged with their target, including rejected ones', async () => {
  const { id: target } = mara.user;
  await administrator.post(`/api/admin/users/${target}/suspend`);
  await administrator.post(`/api/admin/users/${target}/unsuspend`);
  await administrator.delete(`/api/admin/users/${administrator.user.id}`);
  await administrator.get('/api/admin/users');
  const ordinaryUser = await signUp();
  await ordinaryUser.get('/api/admin/users');
  const userId = administrator.user.id;
  expect(events().filter(({ event }) => event !== 'sign_up')).toMatchObject([
    {
      event: 'admin',
      outcome: 'ok',
      userId,
      action: 'POST /api/admin/users/{id}/suspend',
      target: `${target}`,
    },
    {
      event: 'admin',
      outcome: 'ok',
      userId,
      action: 'POST /api/admin/users/{id}/unsuspend',
      target: `${target}`,
    },
    {
      event: 'admin',
      outcome: 'protected_account',
      userId,
      action: 'DELETE /api/admin/users/{id}',
      target: `${userId}`,
    },
    { event: 'denied', outcome: 'not_admin', userId: ordinaryUser.user.id, action: 'GET /api/admin/users' },
  ]);
});

test('an exceeded limit is logged as one event: `login` for a login, `limit` with the call for any other call', async () => {
  const { client, limits } = limitedClient(app, await signUp());
  await useUp(limits.usernameChecksOfClient, '127.0.0.1');
  await useUp(limits.loginsOfClient, '127.0.0.1');
  lines.length = 0;
  await client.get('/api/check-username/mara');
  await client.post('/api/login', { username: 'x', password: 'x' });
  expect(events()).toMatchObject([
    { event: 'limit', outcome: 'rate_limited', action: 'GET /api/check-username/{username}' },
    { event: 'login', outcome: 'rate_limited' },
  ]);
});

test('a delayed login is logged once, not at each further attempt', async () => {
  const { client, limits } = limitedClient(app, await signUp());
  // The key under which logins count failures.
  await useUp(limits.loginFailuresOfName, `username of ${mara.user.id}`, { callsLeft: 1 });
  lines.length = 0;
  const attempts = ['MARA', 'mara', 'Mara', 'mara'].map((username) =>
    client.post('/api/login', { username, password: 'not the one' }, FROM),
  );
  await Promise.all(attempts);
  const slowdowns = events().filter(({ event }) => event === 'login_slowed_down');
  expect(slowdowns).toEqual([
    {
      event: 'login_slowed_down',
      outcome: 'rate_limited',
      userId: mara.user.id,
      name: DIGEST_OF_MARA,
      network: '203.0.113.0/24',
      requestId: expect.any(String),
      isWarning: true,
    },
  ]);
});

test('rejected cross-site requests are logged', async () => {
  await mara.post('/api/logout', undefined, { Origin: 'https://elsewhere.example' });
  expect(events()).toMatchObject([{ event: 'denied', outcome: 'bad_origin', action: 'POST /api/logout' }]);
});

test('the log contains no password, token, username or address', async () => {
  const client = await signUp({ username: 'secretive', email: 'secretive@example.net' });
  const { user, password } = client;
  const token = tokenIn(await mailTo(app, user.email));
  await visitor().get(`/api/verify-email?token=${token}`);
  await client.get('/api/user');
  await logIn('secretive@example.net', password);
  await logIn('secretive', 'wrong password');
  await visitor().post('/api/forgot-password', { email: user.email });
  const session = client.cookies.get('sid') ?? '';
  const text = lines.join('\n');
  for (const secret of ['secretive', password, 'wrong password', '203.0.113.77', session, token]) {
    expect(text).not.toContain(secret);
  }
});

test('docs/operating.md lists every event', async () => {
  const page = await readFile(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
  const calls: Call[] = [accounts, passkeys, admin].flatMap((contract) =>
    Object.values<Call>({ ...contract }),
  );
  const names = calls.flatMap(({ securityEvent }) => securityEvent ?? []);
  expect(names.length).toBeGreaterThan(5);
  for (const name of [
    ...names,
    'admin',
    'limit',
    'denied',
    'owner_password_configured',
    'recovery_code_used',
    'login_slowed_down',
    'socket_closed',
  ]) {
    expect(page).toContain(`| \`${name}\` |`);
  }
});
