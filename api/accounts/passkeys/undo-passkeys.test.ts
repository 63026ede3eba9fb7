import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lockUser } from '#api/accounts/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { SoftPasskey } from '#api/testing/authenticator/authenticator.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import {
  addPasskey,
  authenticatorOf,
  confirm,
  enableSecondStep,
  loginOptions,
  passkeysOf,
  ticketOf,
} from '#api/testing/passkeys.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, visitor } = app;
const authenticator = authenticatorOf(app);

const NEW_PASSWORD = 'tall lamp, cold river';
const undo = (token: string) => visitor().post('/api/undo-passkeys', { token });
const logIn = (client: TestUser, password = client.password) =>
  visitor().post('/api/login', { username: client.user.username, password });
const tokenMailedTo = async (address: string) => tokenIn(await mailTo(app, address));

/** Delays the queued mails, which would be sent at once. */
const delayMails = () => db.sql`update mail_queue set next_attempt_at = now() + interval '1 hour'`;

async function logInWith(passkey: SoftPasskey): Promise<number> {
  const browser = visitor();
  const assertion = authenticator.use(await loginOptions(browser), passkey);
  return (await browser.post('/api/login/passkey', { passkey: assertion })).status;
}

/** A user with a verified email: only verified addresses get the link. */
async function signUp(): Promise<TestUser> {
  const client = await app.signUp();
  await db.sql`update users set is_verified = true where id = ${client.user.id}`;
  // Sends the verification mail, so that it is no longer in the queue.
  await app.deps.mails.runDue();
  return client;
}

/** A user, and a thief who knows the password and is logged in to the account in another browser. */
async function accountWithThief() {
  const account = await signUp();
  const thief = Object.assign(visitor(), { user: account.user, password: account.password });
  await thief.post('/api/login', { username: account.user.username, password: account.password });
  return { account, thief: thief as TestUser, email: account.user.email };
}

/** A user locked out by a thief, who added a passkey and switched on the second step; with the tokens mailed about both. */
async function lockedOutUser() {
  const { account, thief, email } = await accountWithThief();
  const passkey = await addPasskey(thief, authenticator);
  const passkeyToken = await tokenMailedTo(email);
  const codes = await enableSecondStep(thief);
  return { account, thief, email, passkey, codes, passkeyToken, secondStepToken: await tokenMailedTo(email) };
}

async function resetPassword(email: string): Promise<void> {
  await visitor().post('/api/forgot-password', { email });
  const input = { token: await tokenMailedTo(email), password: NEW_PASSWORD };
  expect((await visitor().post('/api/reset-password', input)).status).toBe(200);
}

async function expectUndone({ user }: TestUser): Promise<void> {
  const [row] = await db.sql`
    select second_step, second_step_since,
      (select count(*)::int from passkeys where user_id = users.id) as passkeys,
      (select count(*)::int from recovery_codes where user_id = users.id) as codes,
      (select count(*)::int from sessions where user_id = users.id) as sessions
    from users where id = ${user.id}`;
  expect(row).toEqual({ second_step: false, second_step_since: null, passkeys: 0, codes: 0, sessions: 0 });
}

test.each(['passkeyToken', 'secondStepToken'] as const)(
  'a user who was locked out regains access with the %s',
  async (tokenName) => {
    const { account, thief, email, passkey, codes, ...tokens } = await lockedOutUser();
    const ticket = await ticketOf(visitor(), account);
    const response = await undo(tokens[tokenName]);
    expect([response.status, (await response.json()).message]).toEqual([
      200,
      expect.stringContaining('choose a new one now'),
    ]);
    await expectUndone(account);
    expect([(await account.get('/api/user')).status, (await thief.get('/api/user')).status]).toEqual([
      401, 401,
    ]);
    expect(await logInWith(passkey)).toBe(403);
    const input = { ticket, recoveryCode: codes[0] };
    expect((await visitor().post('/api/login/second-step', input)).status).toBe(400);
    await resetPassword(email);
    expect((await logIn(account, NEW_PASSWORD)).status).toBe(200);
    expect((await logIn(account)).status).toBe(401);
  },
);

test('the links are valid for seven days, and the user is mailed about each change that a link undoes', async () => {
  const { account, secondStepToken } = await lockedOutUser();
  const rows = await db.sql`
    select extract(epoch from expires_at - created_at)::int / 86400 as days from email_tokens
    where purpose = 'undo-passkeys' and user_id = ${account.user.id}`;
  expect(rows.map(({ days }) => days)).toEqual([7, 7]);
  await undo(secondStepToken);
  const mails = await db.sql`select purpose from mail_queue where user_id = ${account.user.id} order by id`;
  expect(mails.map(({ purpose }) => purpose)).toEqual(['second-step-off', 'passkey-removed']);
});

test('a link works once and voids the other links sent to the same email', async () => {
  const { account, passkeyToken, secondStepToken } = await lockedOutUser();
  expect((await undo(passkeyToken)).status).toBe(200);
  const newBrowser = visitor();
  await newBrowser.post('/api/login', { username: account.user.username, password: account.password });
  const client = Object.assign(newBrowser, { user: account.user, password: account.password });
  const ownPasskey = await addPasskey(client, authenticator);
  for (const token of [passkeyToken, secondStepToken]) {
    const response = await undo(token);
    expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_token']);
  }
  expect(await logInWith(ownPasskey)).toBe(200);
});

test('of several links used concurrently only one succeeds, and undoes everything', async () => {
  for (let round = 0; round < 3; round++) {
    const { account, email, passkeyToken, secondStepToken } = await lockedOutUser();
    const responses = await Promise.all([undo(passkeyToken), undo(secondStepToken), undo(passkeyToken)]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    await expectUndone(account);
    await resetPassword(email);
    expect((await logIn(account, NEW_PASSWORD)).status).toBe(200);
  }
});

test('concurrent changes by a thief are refused or undone', async () => {
  for (let round = 0; round < 3; round++) {
    const { account, thief, email } = await accountWithThief();
    await addPasskey(thief, authenticator);
    const token = await tokenMailedTo(email);
    const options = await (await thief.post('/api/passkeys/options')).json();
    const { attestation } = authenticator.create(options);
    const [response] = await Promise.all([
      undo(token),
      thief.post('/api/passkeys', { passkey: attestation, name: 'Another one' }),
      thief.request('/api/user/second-step', { method: 'PUT' }),
    ]);
    expect(response.status).toBe(200);
    await expectUndone(account);
  }
});

test('a passkey is not added if its session ends at the same time', async () => {
  const { account, thief } = await accountWithThief();
  await confirm(account, thief);
  const options = await (await thief.post('/api/passkeys/options')).json();
  const { attestation } = authenticator.create(options);
  const { adding } = await inTransaction(db, async (tx) => {
    await lockUser(tx, account.user.id);
    const request = thief.post('/api/passkeys', { passkey: attestation });
    // Time for the request to reach the row lock, for which it waits on PostgreSQL.
    await sleep(300);
    await tx.sql`delete from sessions where user_id = ${account.user.id}`;
    // In an object, as the transaction would otherwise wait for the request, which waits for the transaction.
    return { adding: request };
  });
  expect((await adding).status).toBe(401);
  await expectUndone(account);
});

/** Makes the changes of a user too old to be undone: the links in the mails about them no longer exist. */
async function makeTooOldToUndo({ user }: TestUser): Promise<void> {
  await app.deps.mails.runDue();
  await db.sql`delete from email_tokens where user_id = ${user.id}`;
}

test('undoing keeps an older second step and its passkey, but no newer recovery codes', async () => {
  const account = await signUp();
  const ownPasskey = await addPasskey(account, authenticator, 'My own');
  const codes = await enableSecondStep(account);
  await makeTooOldToUndo(account);
  const thiefPasskey = await addPasskey(account, authenticator, 'Stolen');
  const token = await tokenMailedTo(account.user.email);
  expect((await account.post('/api/user/recovery-codes')).status).toBe(201);
  expect((await undo(token)).status).toBe(200);
  expect([await logInWith(thiefPasskey), await logInWith(ownPasskey)]).toEqual([403, 200]);
  const ticket = await ticketOf(visitor(), account);
  const input = { ticket, recoveryCode: codes[0] };
  expect((await visitor().post('/api/login/second-step', input)).status).toBe(403);
  const [row] = await db.sql`select second_step from users where id = ${account.user.id}`;
  expect(row).toEqual({ second_step: true });
});

test('undoing switches off a newer second step and keeps older passkeys', async () => {
  const account = await signUp();
  const ownPasskey = await addPasskey(account, authenticator, 'My own');
  await makeTooOldToUndo(account);
  await enableSecondStep(account);
  expect((await undo(await tokenMailedTo(account.user.email))).status).toBe(200);
  expect((await logIn(account)).status).toBe(200);
  expect(await logInWith(ownPasskey)).toBe(200);
});

test('an unverified email gets no link', async () => {
  const client = await app.signUp();
  await addPasskey(client, authenticator);
  const mail = await mailTo(app, client.user.email);
  expect(mail.subject).toBe('A passkey was added to your account');
  expect(tokenIn(mail)).toBe('');
  await enableSecondStep(client);
  expect(tokenIn(await mailTo(app, client.user.email))).toBe('');
  // The mail has no link either if the email is verified after it was queued.
  await addPasskey(client, authenticator, 'Second');
  await db.sql`update users set is_verified = true where id = ${client.user.id}`;
  expect(tokenIn(await mailTo(app, client.user.email))).toBe('');
});

test('an expired link, a link of another kind and a forged link change nothing', async () => {
  const { account, email, secondStepToken } = await lockedOutUser();
  await db.sql`update email_tokens set expires_at = now() where user_id = ${account.user.id}`;
  await visitor().post('/api/forgot-password', { email });
  const resetToken = await tokenMailedTo(email);
  for (const token of [secondStepToken, resetToken, 'made up']) expect((await undo(token)).status).toBe(400);
  expect(await ticketOf(visitor(), account)).toMatch(/^[\w-]{43}$/);
  const input = { token: secondStepToken };
  await db.sql`update email_tokens set expires_at = now() + interval '1 day' where user_id = ${account.user.id}`;
  expect((await visitor().post('/api/undo-email-change', input)).status).toBe(400);
  expect((await undo(secondStepToken)).status).toBe(200);
});

test('a link still works after a password reset, and then the new password permits a login', async () => {
  const { account, email, secondStepToken } = await lockedOutUser();
  await resetPassword(email);
  expect((await logIn(account, NEW_PASSWORD)).status).toBe(401);
  expect((await undo(secondStepToken)).status).toBe(200);
  expect((await logIn(account, NEW_PASSWORD)).status).toBe(200);
});

test('undoing cancels a deletion of the account that the thief has requested', async () => {
  const { account, thief, secondStepToken } = await lockedOutUser();
  const deletion = { password: account.password, polls: 'remove' };
  expect((await thief.post('/api/user/deletion', deletion)).status).toBe(200);
  const revOf = async () => (await db.sql`select rev from users where id = ${account.user.id}`)[0]?.rev;
  const revBefore = await revOf();
  expect((await undo(secondStepToken)).status).toBe(200);
  expect(await revOf()).toBe(revBefore + 1);
  expect(await (await logIn(account)).json()).not.toHaveProperty('deletion');
});

async function changeEmail(thief: TestUser): Promise<string> {
  const email = `thief${thief.user.id}@example.org`;
  const change = { email, currentPassword: thief.password };
  expect((await thief.patch('/api/user', change)).status).toBe(200);
  expect((await visitor().get(`/api/verify-email?token=${await tokenMailedTo(email)}`)).status).toBe(200);
  return email;
}

test('a link sent to the old email still restores the account after the email was changed', async () => {
  const { account, thief, email, secondStepToken } = await lockedOutUser();
  const thiefEmail = await changeEmail(thief);
  await addPasskey(thief, authenticator, 'Another one');
  const thiefToken = await tokenMailedTo(thiefEmail);
  expect(thiefToken).not.toBe('');
  expect((await undo(secondStepToken)).status).toBe(200);
  await expectUndone(account);
  // The link that was sent to the thief's address no longer works.
  expect((await undo(thiefToken)).status).toBe(400);
  await resetPassword(email);
  expect(await (await logIn(account, NEW_PASSWORD)).json()).toMatchObject({ email });
});

test('undoing a change of the email keeps the link to undo earlier changes, and voids the thief’s link', async () => {
  const { account, thief, email, passkeyToken } = await lockedOutUser();
  const thiefEmail = await changeEmail(thief);
  const undoEmail = await tokenMailedTo(email);
  await addPasskey(thief, authenticator, 'Another one');
  const thiefToken = await tokenMailedTo(thiefEmail);
  expect((await visitor().post('/api/undo-email-change', { token: undoEmail })).status).toBe(200);
  expect((await undo(thiefToken)).status).toBe(400);
  expect((await undo(passkeyToken)).status).toBe(200);
  await expectUndone(account);
  expect((await logIn(account)).status).toBe(200);
});

test('undoing covers changes about which a mail is still queued, and discards that mail', async () => {
  const { account, thief, email } = await accountWithThief();
  await addPasskey(thief, authenticator);
  await delayMails();
  await enableSecondStep(thief);
  expect((await undo(await tokenMailedTo(email))).status).toBe(200);
  await expectUndone(account);
  const queuedMails = await db.sql`select from mail_queue where user_id = ${account.user.id} and is_undoable`;
  expect(queuedMails.count).toBe(0);
});

test('switching off the second step clears the time at which it was switched on', async () => {
  const account = await signUp();
  await addPasskey(account, authenticator);
  await enableSecondStep(account);
  expect((await account.request('/api/user/second-step', { method: 'DELETE' })).status).toBe(200);
  const [row] = await db.sql`select second_step_since from users where id = ${account.user.id}`;
  expect(row).toEqual({ second_step_since: null });
  expect(await passkeysOf(account)).toMatchObject({ secondStep: false });
});
