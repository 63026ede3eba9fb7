import { expect, test } from 'vitest';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import {
  addPasskey,
  authenticatorOf,
  confirm,
  enableSecondStep,
  loginOptions,
  passkeysOf,
  ticketOf,
  unconfirm,
} from '#api/testing/passkeys.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { statusAndCode, type TestClient } from '#api/testing/test-client.ts';
import { errorBodySchema } from '#shared/errors.ts';

const app = await createTestApp();
const { db, signUp, visitor } = app;
const authenticator = authenticatorOf(app);

const setSecondStep = (client: TestClient, state: 'on' | 'off') =>
  client.request('/api/user/second-step', { method: state === 'on' ? 'PUT' : 'DELETE' });
const logIn = (client: TestClient, input: object) => client.post('/api/login/second-step', input);
const optionsFor = async (ticket: string) =>
  (await visitor().post('/api/login/second-step/options', { ticket })).json();

async function sessionCountOf({ user }: TestUser): Promise<number> {
  return (await db.sql`select from sessions where user_id = ${user.id}`).count;
}

/** A user whose second step is on. */
async function userWithSecondStep() {
  const account = await signUp();
  const passkey = await addPasskey(account, authenticator);
  return { account, passkey, codes: await enableSecondStep(account) };
}

test('a user with a passkey can switch on the second step and gets ten recovery codes once', async () => {
  const account = await signUp();
  expect(await statusAndCode(setSecondStep(account, 'on'))).toEqual([403, 'confirmation_needed']);
  await confirm(account);
  expect(await statusAndCode(setSecondStep(account, 'on'))).toEqual([409, 'no_passkey']);
  await addPasskey(account, authenticator);
  const codes = await enableSecondStep(account);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(await passkeysOf(account)).toMatchObject({ secondStep: true, recoveryCodesLeft: 10 });
  expect((await mailTo(app, account.user.email)).subject).toBe('Your account now asks for a passkey');

  // A repeated request returns no codes, and the first ones remain valid.
  expect(await (await setSecondStep(account, 'on')).json()).not.toHaveProperty('recoveryCodes');
  expect(
    (await logIn(visitor(), { ticket: await ticketOf(visitor(), account), recoveryCode: codes[0] })).status,
  ).toBe(200);
});

test('of two concurrent requests to switch on the second step, only one returns codes', async () => {
  const user = await signUp();
  await addPasskey(user, authenticator);
  const responses = await Promise.all([setSecondStep(user, 'on'), setSecondStep(user, 'on')]);
  const codes = (await Promise.all(responses.map((response) => response.json()))).flatMap(
    ({ recoveryCodes }) => recoveryCodes ?? [],
  );
  expect(codes).toHaveLength(10);
  expect(
    (await logIn(visitor(), { ticket: await ticketOf(visitor(), user), recoveryCode: codes[9] })).status,
  ).toBe(200);
});

test('only the hashes of recovery codes are stored', async () => {
  const { account, codes } = await userWithSecondStep();
  const rows = await db.sql`select code_hash from recovery_codes where user_id = ${account.user.id}`;
  expect(rows).toHaveLength(10);
  for (const { code_hash: hash } of rows) expect(hash).toMatch(/^\$2[aby]\$/);
  const stored = JSON.stringify(rows);
  for (const code of codes) expect(stored).not.toContain(code.replace('-', ''));
});

test('a login with only the password creates no session, and its error asks old clients to reload', async () => {
  const { account } = await userWithSecondStep();
  const before = await sessionCountOf(account);
  const client = visitor();
  const { user, password } = account;
  const response = await client.post('/api/login', { username: user.username, password });
  expect(response.status).toBe(401);
  const body = errorBodySchema.parse(await response.json());
  expect(body.code).toBe('passkey_required');
  expect(body.ticket).toMatch(/^[\w-]{43}$/);
  expect(body.message).toBe(
    'This account needs a passkey as well as the password. Reload the page, then log in again.',
  );
  expect(client.cookies.size).toBe(0);
  expect(await sessionCountOf(account)).toBe(before);
});

test('the response to a wrong password does not reveal the second step', async () => {
  const { account } = await userWithSecondStep();
  const login = visitor().post('/api/login', { username: account.user.username, password: 'not this one' });
  expect(await statusAndCode(login)).toEqual([401, 'invalid_credentials']);
});

test('a ticket and a passkey of its user can log in only once', async () => {
  const { account, passkey } = await userWithSecondStep();
  const ticket = await ticketOf(visitor(), account);
  const options = await optionsFor(ticket);
  expect(options.allowCredentials).toMatchObject([{ id: passkey.id }]);
  const before = await sessionCountOf(account);
  const input = { ticket, passkey: authenticator.use(options, passkey) };
  const client = visitor();
  const responses = await Promise.all([logIn(client, input), logIn(client, input)]);
  const [lowerStatus, higherStatus] = responses.map(({ status }) => status).toSorted();
  expect(lowerStatus).toBe(200);
  // The ticket has been used up, or the challenge if both requests have read the ticket.
  expect([400, 403]).toContain(higherStatus);
  expect(await sessionCountOf(account)).toBe(before + 1);
  expect((await client.get('/api/user')).status).toBe(200);
  expect(await statusAndCode(logIn(visitor(), input))).toEqual([400, 'invalid_token']);
});

test('of two concurrent logins with one ticket and different passkeys, only one succeeds', async () => {
  const { account, passkey } = await userWithSecondStep();
  const secondPasskey = await addPasskey(account, authenticator, 'Another one');
  const ticket = await ticketOf(visitor(), account);
  const inputs = [
    { ticket, passkey: authenticator.use(await optionsFor(ticket), passkey) },
    { ticket, passkey: authenticator.use(await optionsFor(ticket), secondPasskey) },
  ];
  const responses = await Promise.all(inputs.map((input) => logIn(visitor(), input)));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test('a passkey of another user, or one that has signed a challenge for another purpose, is refused', async () => {
  const [{ account, passkey }, stranger] = [await userWithSecondStep(), await userWithSecondStep()];
  const ticket = await ticketOf(visitor(), account);
  const foreignAssertion = authenticator.use(await optionsFor(ticket), stranger.passkey);
  expect(await statusAndCode(logIn(visitor(), { ticket, passkey: foreignAssertion }))).toEqual([
    403,
    'invalid_passkey',
  ]);
  const foreignOptions = await optionsFor(await ticketOf(visitor(), stranger.account));
  for (const options of [foreignOptions, await loginOptions(visitor())]) {
    const assertion = authenticator.use(options, passkey);
    expect(await statusAndCode(logIn(visitor(), { ticket, passkey: assertion }))).toEqual([
      403,
      'invalid_passkey',
    ]);
  }
  // A ticket is not accepted as a challenge, nor a challenge as a ticket.
  const ownOptions = await optionsFor(ticket);
  const ticketAsChallenge = authenticator.use({ ...ownOptions, challenge: ticket }, passkey);
  expect(await statusAndCode(logIn(visitor(), { ticket, passkey: ticketAsChallenge }))).toEqual([
    403,
    'invalid_passkey',
  ]);
  const { challenge } = ownOptions;
  expect(await statusAndCode(logIn(visitor(), { ticket: challenge, passkey: ticketAsChallenge }))).toEqual([
    400,
    'invalid_token',
  ]);
  // A login by passkey does not accept a challenge of the second step.
  const assertion = authenticator.use(await optionsFor(ticket), passkey);
  expect(await statusAndCode(visitor().post('/api/login/passkey', { passkey: assertion }))).toEqual([
    403,
    'invalid_passkey',
  ]);
  // The ticket is still valid.
  const validAssertion = authenticator.use(await optionsFor(ticket), passkey);
  expect((await logIn(visitor(), { ticket, passkey: validAssertion })).status).toBe(200);
});

test('a recovery code works once, in any spelling, and a mail announces its use', async () => {
  const { account, codes } = await userWithSecondStep();
  const [code = '', other = ''] = codes;
  const ticket = await ticketOf(visitor(), account);
  expect(await statusAndCode(logIn(visitor(), { ticket, recoveryCode: '0000-0000' }))).toEqual([
    403,
    'invalid_recovery_code',
  ]);
  expect(await statusAndCode(logIn(visitor(), { ticket }))).toEqual([403, 'invalid_recovery_code']);
  const typed = ` ${code.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
  const client = visitor();
  expect((await logIn(client, { ticket, recoveryCode: typed })).status).toBe(200);
  expect((await passkeysOf(client)).recoveryCodesLeft).toBe(9);
  expect((await mailTo(app, account.user.email)).subject).toBe('One of your recovery codes was used');

  const nextTicket = await ticketOf(visitor(), account);
  expect(await statusAndCode(logIn(visitor(), { ticket: nextTicket, recoveryCode: code }))).toEqual([
    403,
    'invalid_recovery_code',
  ]);
  expect(await statusAndCode(logIn(visitor(), { ticket, recoveryCode: other }))).toEqual([
    400,
    'invalid_token',
  ]);
});

test('one recovery code used concurrently with two tickets creates one session', async () => {
  const { account, codes } = await userWithSecondStep();
  const tickets = [await ticketOf(visitor(), account), await ticketOf(visitor(), account)];
  const before = await sessionCountOf(account);
  const responses = await Promise.all(
    tickets.map((ticket) => logIn(visitor(), { ticket, recoveryCode: codes[0] })),
  );
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  expect(await sessionCountOf(account)).toBe(before + 1);
  expect((await passkeysOf(account)).recoveryCodesLeft).toBe(9);
});

test('two codes used concurrently with one ticket create one session, and one code remains', async () => {
  const { account, codes } = await userWithSecondStep();
  const ticket = await ticketOf(visitor(), account);
  const responses = await Promise.all(
    [codes[0], codes[1]].map((recoveryCode) => logIn(visitor(), { ticket, recoveryCode })),
  );
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect((await passkeysOf(account)).recoveryCodesLeft).toBe(9);
});

test('a recovery code of another user is refused', async () => {
  const [{ account }, stranger] = [await userWithSecondStep(), await userWithSecondStep()];
  const response = logIn(visitor(), {
    ticket: await ticketOf(visitor(), account),
    recoveryCode: stranger.codes[0],
  });
  expect(await statusAndCode(response)).toEqual([403, 'invalid_recovery_code']);
});

test('wrong recovery codes are rate-limited', async () => {
  const { account, codes } = await userWithSecondStep();
  const ticket = await ticketOf(visitor(), account);
  const { client, limits } = limitedClient(app, account);
  await useUp(limits.recoveryCodesOfUser, account.user.id, { callsLeft: 1 });
  expect((await logIn(client, { ticket, recoveryCode: 'wrong' })).status).toBe(403);
  expect((await logIn(client, { ticket, recoveryCode: codes[0] })).status).toBe(429);
});

test('a ticket expires after five minutes and when the password changes', async () => {
  const { account, codes } = await userWithSecondStep();
  const expiredTicket = await ticketOf(visitor(), account);
  const [row] = await db.sql`
    select extract(epoch from expires_at - now())::float between 290 and 300 as "isInFiveMinutes" from passkey_challenges where user_id = ${account.user.id}`;
  expect(row).toEqual({ isInFiveMinutes: true });
  await db.sql`update passkey_challenges set expires_at = now() where user_id = ${account.user.id}`;
  expect(await statusAndCode(logIn(visitor(), { ticket: expiredTicket, recoveryCode: codes[0] }))).toEqual([
    400,
    'invalid_token',
  ]);
  const ticket = await ticketOf(visitor(), account);
  await account.post('/api/user/password', {
    currentPassword: account.password,
    newPassword: 'tall lamp, cold river',
  });
  expect(await statusAndCode(logIn(visitor(), { ticket, recoveryCode: codes[0] }))).toEqual([
    400,
    'invalid_token',
  ]);
});

test('a user who is suspended during the login gets the error `suspended`, no session and no notice of a login', async () => {
  const { account, codes } = await userWithSecondStep();
  const ticket = await ticketOf(visitor(), account);
  await db.sql`update users set is_suspended = true where id = ${account.user.id}`;
  expect(await statusAndCode(logIn(visitor(), { ticket, recoveryCode: codes[0] }))).toEqual([
    403,
    'suspended',
  ]);
  expect(await sessionCountOf(account)).toBe(1);
  const mails = await db.sql`select purpose from mail_queue where user_id = ${account.user.id}`;
  expect([...mails]).not.toContainEqual({ purpose: 'recovery-code-used' });
});

test('a password reset by mail does not switch off the second step', async () => {
  const { account } = await userWithSecondStep();
  await db.sql`update users set is_verified = true where id = ${account.user.id}`;
  const password = await resetPassword(account);
  expect(await ticketOf(visitor(), Object.assign(account, { password }))).toMatch(/^[\w-]{43}$/);
});

test('a password reset of an unverified account switches off the second step', async () => {
  // Somebody else may have signed up with this user's email and switched it on.
  const { account, passkey } = await userWithSecondStep();
  const password = await resetPassword(account);
  const login = { username: account.user.username, password };
  const client = visitor();
  expect((await client.post('/api/login', login)).status).toBe(200);
  expect(await passkeysOf(client)).toMatchObject({ passkeys: [], secondStep: false, recoveryCodesLeft: 0 });
  const assertion = authenticator.use(await loginOptions(client), passkey);
  expect((await client.post('/api/login/passkey', { passkey: assertion })).status).toBe(403);
});

async function resetPassword({ user }: TestUser): Promise<string> {
  await visitor().post('/api/forgot-password', { email: user.email });
  const token = tokenIn(await mailTo(app, user.email));
  const password = 'tall lamp, cold river';
  expect((await visitor().post('/api/reset-password', { token, password })).status).toBe(200);
  return password;
}

test('switching off the second step needs a confirmed session and deletes the recovery codes', async () => {
  const { account } = await userWithSecondStep();
  await unconfirm(app, account);
  expect(await statusAndCode(setSecondStep(account, 'off'))).toEqual([403, 'confirmation_needed']);
  await confirm(account);
  expect(await (await setSecondStep(account, 'off')).json()).toMatchObject({
    secondStep: false,
    recoveryCodesLeft: 0,
  });
  expect((await mailTo(app, account.user.email)).subject).toBe('Your account no longer asks for a passkey');
  const client = visitor();
  expect(
    (await client.post('/api/login', { username: account.user.username, password: account.password })).status,
  ).toBe(200);
  expect(await statusAndCode(account.post('/api/user/recovery-codes'))).toEqual([409, 'second_step_off']);
});

test('a session opened before the second step was switched on needs a passkey for every change', async () => {
  const account = await signUp();
  const olderSession = visitor();
  await olderSession.post('/api/login', { username: account.user.username, password: account.password });
  await confirm(account, olderSession);
  const passkey = await addPasskey(account, authenticator);
  await enableSecondStep(account);
  const [listedPasskey] = (await passkeysOf(account)).passkeys;
  const changes = () => [
    setSecondStep(olderSession, 'off'),
    olderSession.post('/api/user/recovery-codes'),
    olderSession.delete(`/api/passkeys/${listedPasskey?.id}`),
    olderSession.post('/api/passkeys/options'),
  ];
  await confirm(account, olderSession);
  for (const change of changes()) expect(await statusAndCode(change)).toEqual([403, 'confirmation_needed']);

  const options = await (await olderSession.post('/api/user/confirmation/options')).json();
  const confirmation = { passkey: authenticator.use(options, passkey) };
  expect((await olderSession.post('/api/user/confirmation', confirmation)).status).toBe(204);
  expect((await setSecondStep(olderSession, 'off')).status).toBe(200);
});

test('only removing the last passkey switches off the second step', async () => {
  const { account } = await userWithSecondStep();
  await addPasskey(account, authenticator, 'Second');
  const [firstPasskey, secondPasskey] = (await passkeysOf(account)).passkeys;
  expect(await (await account.delete(`/api/passkeys/${firstPasskey?.id}`)).json()).toMatchObject({
    secondStep: true,
    recoveryCodesLeft: 10,
  });
  expect(await (await account.delete(`/api/passkeys/${secondPasskey?.id}`)).json()).toMatchObject({
    secondStep: false,
    recoveryCodesLeft: 0,
  });
  const mails = await db.sql`
    select purpose from mail_queue where user_id = ${account.user.id} and purpose like 'second-step%' order by id`;
  expect(mails.map(({ purpose }) => purpose)).toEqual(['second-step-on', 'second-step-off']);
});

test('switching on the second step while the last passkey is removed leaves it off', async () => {
  const account = await signUp();
  await addPasskey(account, authenticator);
  const [passkey] = (await passkeysOf(account)).passkeys;
  await Promise.all([setSecondStep(account, 'on'), account.delete(`/api/passkeys/${passkey?.id}`)]);
  expect(await passkeysOf(account)).toMatchObject({ passkeys: [], secondStep: false, recoveryCodesLeft: 0 });
  const [row] = await db.sql`select second_step from users where id = ${account.user.id}`;
  expect(row).toEqual({ second_step: false });
});

test('renewing the recovery codes needs a confirmed session and voids the previous codes', async () => {
  const { account, codes } = await userWithSecondStep();
  await unconfirm(app, account);
  expect(await statusAndCode(account.post('/api/user/recovery-codes'))).toEqual([403, 'confirmation_needed']);
  await confirm(account);
  const response = await account.post('/api/user/recovery-codes');
  expect(response.status).toBe(201);
  const { recoveryCodes: renewed, recoveryCodesLeft } = await response.json();
  expect(recoveryCodesLeft).toBe(10);
  expect(renewed).toHaveLength(10);
  expect((await mailTo(app, account.user.email)).subject).toBe('You have new recovery codes');
  const ticket = await ticketOf(visitor(), account);
  expect(await statusAndCode(logIn(visitor(), { ticket, recoveryCode: codes[0] }))).toEqual([
    403,
    'invalid_recovery_code',
  ]);
  expect((await logIn(visitor(), { ticket, recoveryCode: renewed[0] })).status).toBe(200);
});

test('of two concurrent renewals, only one returns valid recovery codes', async () => {
  const { account } = await userWithSecondStep();
  const responses = await Promise.all([
    account.post('/api/user/recovery-codes'),
    account.post('/api/user/recovery-codes'),
  ]);
  const statuses: number[] = [];
  for (const response of responses) {
    const { recoveryCodes: codes } = await response.json();
    statuses.push(
      (await logIn(visitor(), { ticket: await ticketOf(visitor(), account), recoveryCode: codes[0] })).status,
    );
  }
  expect(statuses.toSorted()).toEqual([200, 403]);
  expect((await passkeysOf(account)).recoveryCodesLeft).toBe(9);
});
