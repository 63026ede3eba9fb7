import { expect, test, vi } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import type { SoftPasskey } from '#api/testing/authenticator/authenticator.ts';
import { createEmailChanges, mailTo, tokenIn } from '#api/testing/mails.ts';
import { addPasskey, authenticatorOf, enableSecondStep, loginOptions } from '#api/testing/passkeys.ts';
import { createTestApp, limitedClient, type TestUser } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { RECOVERY_CODE_COUNT } from '#shared/accounts/constants.ts';

const app = await createTestApp();
const { db, visitor } = app;

const { newAddress, request: requestEmail, open: openLinkTo, undo, emailOf } = createEmailChanges(app);
const logIn = (client: TestUser) =>
  visitor().post('/api/login', { username: client.user.username, password: client.password });
const isLoggedIn = async (client: TestClient) => (await client.get('/api/user')).status === 200;

/** A user with a verified email, because only such a user can undo a change after its confirmation. */
async function signUp(fields?: Parameters<typeof app.signUp>[0]): Promise<TestUser> {
  const client = await app.signUp(fields);
  expect((await openLinkTo(client.user.email)).status).toBe(200);
  return Object.assign(client, { user: await (await client.get('/api/user')).json() });
}

/** A user whose email was changed and confirmed; with both notices to the old email, and their tokens. */
async function userWithChangedEmail() {
  const client = await signUp();
  const oldEmail = client.user.email;
  const newEmail = newAddress();
  await requestEmail(client, newEmail);
  const requestNotice = await mailTo(app, oldEmail);
  expect((await openLinkTo(newEmail)).status).toBe(200);
  const changeNotice = await mailTo(app, oldEmail);
  return {
    client,
    oldEmail,
    newEmail,
    notices: [requestNotice, changeNotice],
    requestNoticeToken: tokenIn(requestNotice),
    changeNoticeToken: tokenIn(changeNotice),
  };
}

test('a request for a new email without the current password changes nothing and sends no mail', async () => {
  const client = await signUp();
  await mailTo(app, client.user.email);
  for (const currentPassword of [undefined, '', 'not this one']) {
    const response = await client.patch('/api/user', {
      email: newAddress(),
      username: 'renamed',
      currentPassword,
    });
    expect(response.status).toBe(403);
    const { code, issues } = await response.json();
    expect([code, issues[0].path]).toEqual(['wrong_password', 'currentPassword']);
  }
  expect(await (await client.get('/api/user')).json()).toEqual(client.user);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('until the link to the new email is opened, the user logs in and resets the password with the old email', async () => {
  const client = await signUp();
  const { email, username } = client.user;
  const requestedEmail = newAddress();
  expect(await (await requestEmail(client, requestedEmail)).json()).toMatchObject({
    email,
    pendingEmail: requestedEmail,
  });
  const login = (name: string) => visitor().post('/api/login', { username: name, password: client.password });
  expect((await login(requestedEmail)).status).toBe(401);
  expect(await (await login(email)).json()).toMatchObject({ username, pendingEmail: requestedEmail });
  await visitor().post('/api/forgot-password', { email: requestedEmail });
  await visitor().post('/api/forgot-password', { email });
  expect((await mailTo(app, requestedEmail)).subject).toMatch(/^Confirm your email/);
  expect((await mailTo(app, email)).subject).toMatch(/^Choose a new password/);
  expect((await openLinkTo(requestedEmail)).status).toBe(200);
  expect((await login(email)).status).toBe(401);
  expect((await login(requestedEmail)).status).toBe(200);
});

test('the old email gets notices of the request and of the confirmation, without the new email and with links for seven days', async () => {
  const { newEmail, notices } = await userWithChangedEmail();
  expect(notices.map(({ subject }) => subject)).toEqual([
    'Somebody wants to change the email on your account',
    'The email on your account was changed',
  ]);
  for (const { text, html } of notices) expect(`${text}${html}`).not.toContain(newEmail);
  const [row] = await db.sql<[{ days: number }]>`
    select max(extract(epoch from expires_at - created_at)::int / 86400) as days from email_tokens
    where purpose = 'undo-email'`;
  expect(row.days).toBe(7);
});

test('undoing a request ends every session and voids the confirmation link', async () => {
  const client = await signUp();
  const { email } = client.user;
  const phone = visitor();
  await phone.post('/api/login', { username: email, password: client.password });
  const requestedEmail = newAddress();
  await requestEmail(client, requestedEmail);
  const token = tokenIn(await mailTo(app, email));
  const confirmation = tokenIn(await mailTo(app, requestedEmail));
  for (let attempt = 0; attempt < 2; attempt++) expect((await undo(token)).status).toBe(200);
  expect(await emailOf(client)).toEqual({ email, pendingEmail: null, isVerified: true });
  expect([await isLoggedIn(client), await isLoggedIn(phone)]).toEqual([false, false]);
  expect((await visitor().get(`/api/verify-email?token=${confirmation}`)).status).toBe(400);
});

test.each(['requestNoticeToken', 'changeNoticeToken'] as const)(
  'a confirmed change can be undone with the %s',
  async (tokenName) => {
    const changed = await userWithChangedEmail();
    const { client, oldEmail, newEmail } = changed;
    await visitor().post('/api/forgot-password', { email: newEmail });
    const reset = tokenIn(await mailTo(app, newEmail));
    expect((await undo(changed[tokenName])).status).toBe(200);
    expect(await emailOf(client)).toEqual({ email: oldEmail, pendingEmail: null, isVerified: true });
    expect(await isLoggedIn(client)).toBe(false);
    expect(
      (await visitor().post('/api/reset-password', { token: reset, password: 'taken over' })).status,
    ).toBe(400);
    expect((await logIn(client)).status).toBe(200);
  },
);

test('undoing a change removes only newer passkeys and recovery codes, and switches off only a newer second step', async () => {
  const authenticator = authenticatorOf(app);
  const [withoutPasskey, withPasskey] = [await signUp(), await signUp()];
  const [withSecondStep, withOldCodes] = [await signUp(), await signUp()];
  const hadSecondStep = (client: TestUser) => client === withSecondStep || client === withOldCodes;
  const ownPasskeys = new Map<TestUser, SoftPasskey>();
  for (const client of [withPasskey, withSecondStep, withOldCodes]) {
    ownPasskeys.set(client, await addPasskey(client, authenticator));
    if (hadSecondStep(client)) await enableSecondStep(client);
  }
  for (const client of [withoutPasskey, withPasskey, withSecondStep, withOldCodes]) {
    const oldEmail = client.user.email;
    const newEmail = newAddress();
    await requestEmail(client, newEmail);
    expect((await openLinkTo(newEmail)).status).toBe(200);
    const newPasskey = await addPasskey(client, authenticator);
    if (client === withSecondStep) await client.post('/api/user/recovery-codes');
    else if (client !== withOldCodes) await enableSecondStep(client);
    expect((await undo(tokenIn(await mailTo(app, oldEmail)))).status).toBe(200);
    const logInWith = async (passkey: SoftPasskey) => {
      const browser = visitor();
      const assertion = authenticator.use(await loginOptions(browser), passkey);
      return (await browser.post('/api/login/passkey', { passkey: assertion })).status;
    };
    expect(await logInWith(newPasskey)).toBe(403);
    const login = await logIn(client);
    expect([login.status, (await login.json()).code]).toEqual(
      hadSecondStep(client) ? [401, 'passkey_required'] : [200, undefined],
    );
    const ownPasskey = ownPasskeys.get(client);
    if (ownPasskey !== undefined) expect(await logInWith(ownPasskey)).toBe(200);
    const codes = await db.sql`select from recovery_codes where user_id = ${client.user.id}`;
    expect(codes.count).toBe(client === withOldCodes ? RECOVERY_CODE_COUNT : 0);
  }
});

test('undoing a change sends the mail about a removed passkey without delay', async () => {
  const { client, changeNoticeToken } = await userWithChangedEmail();
  await addPasskey(client, authenticatorOf(app));
  const wake = vi.spyOn(app.deps.mails, 'wake');
  expect((await undo(changeNoticeToken)).status).toBe(200);
  expect(wake).toHaveBeenCalledOnce();
  wake.mockRestore();
  const mails = await db.sql`select from mail_queue where purpose = 'passkey-removed'`;
  expect(mails.count).toBe(1);
});

test('undoing a change cancels a deletion of the account that was requested after the change', async () => {
  const { client, changeNoticeToken } = await userWithChangedEmail();
  const deletion = { password: client.password, polls: 'remove' };
  expect((await client.post('/api/user/deletion', deletion)).status).toBe(200);
  expect((await undo(changeNoticeToken)).status).toBe(200);
  expect(await (await logIn(client)).json()).not.toHaveProperty('deletion');
});

test('undoing a change also undoes later changes and voids their links', async () => {
  const { client, oldEmail, newEmail, changeNoticeToken } = await userWithChangedEmail();
  const thirdEmail = newAddress();
  await requestEmail(client, thirdEmail);
  expect((await openLinkTo(thirdEmail)).status).toBe(200);
  const laterUndo = tokenIn(await mailTo(app, newEmail));
  await requestEmail(client, newAddress());
  expect((await undo(changeNoticeToken)).status).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email: oldEmail, pendingEmail: null });
  expect((await undo(laterUndo)).status).toBe(400);
  await app.deps.mails.runDue();
  expect(
    (await db.sql`select from email_tokens where lower(email) in (${newEmail}, ${thirdEmail})`).count,
  ).toBe(0);
  expect(await emailOf(client)).toMatchObject({ email: oldEmail });
});

test('undoing a later change keeps the earlier one, which can still be undone', async () => {
  const { client, oldEmail, newEmail, changeNoticeToken } = await userWithChangedEmail();
  await requestEmail(client, newAddress());
  expect((await undo(tokenIn(await mailTo(app, newEmail)))).status).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email: newEmail });
  expect((await undo(changeNoticeToken)).status).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email: oldEmail });
});

test('no other user can take the old email while the change can be undone', async () => {
  const { client, oldEmail, changeNoticeToken } = await userWithChangedEmail();
  const otherUser = await signUp();
  const registration = {
    username: `other${client.user.id}`,
    email: oldEmail.toUpperCase(),
    password: otherUser.password,
  };
  expect((await visitor().post('/api/register', registration)).status).toBe(409);
  expect((await requestEmail(otherUser, oldEmail)).status).toBe(409);
  await db.sql`update email_tokens set expires_at = now() - interval '1 second'`;
  expect((await undo(changeNoticeToken)).status).toBe(400);
  expect((await visitor().post('/api/register', registration)).status).toBe(201);
});

test('a notice that could not be sent does not reserve the old email', async () => {
  const client = await signUp();
  const { email, id } = client.user;
  const newEmail = newAddress();
  await requestEmail(client, newEmail);
  expect((await openLinkTo(newEmail)).status).toBe(200);
  // The notice of the request was sent already; only the queued notice of the change may reserve the email now.
  await db.sql`delete from email_tokens where email = ${email}`;
  const registration = { username: `other${id}`, email, password: client.password };
  expect((await visitor().post('/api/register', registration)).status).toBe(409);
  await db.sql`update mail_queue set failed_at = now() where user_id = ${id}`;
  expect((await visitor().post('/api/register', registration)).status).toBe(201);
  await db.sql`delete from mail_queue`;
});

test('a sign-up during the confirmation of a change cannot take the old email', async () => {
  for (let round = 0; round < 5; round++) {
    const client = await signUp();
    const oldEmail = client.user.email;
    const requestedEmail = newAddress();
    await requestEmail(client, requestedEmail);
    const token = tokenIn(await mailTo(app, requestedEmail));
    const account = { username: `other${client.user.id}`, email: oldEmail, password: client.password };
    const [confirmation, ...signUps] = await Promise.all([
      visitor().get(`/api/verify-email?token=${token}`),
      visitor().post('/api/register', account),
      visitor().post('/api/register', { ...account, username: `${account.username}b` }),
    ]);
    expect([confirmation.status, ...signUps.map(({ status }) => status)]).toEqual([200, 409, 409]);
  }
});

test('a requested email cannot be confirmed if it has since been reserved for another user', async () => {
  const client = await signUp();
  const requestedEmail = newAddress();
  await requestEmail(client, requestedEmail);
  const token = tokenIn(await mailTo(app, requestedEmail));
  const otherUser = await signUp({ email: requestedEmail });
  const thirdEmail = newAddress();
  await requestEmail(otherUser, thirdEmail);
  expect((await openLinkTo(thirdEmail)).status).toBe(200);
  const publish = vi.spyOn(app.deps.live, 'publish');
  expect((await visitor().get(`/api/verify-email?token=${token}`)).status).toBe(409);
  expect(await emailOf(client)).toMatchObject({ email: client.user.email, pendingEmail: null });
  // The user's devices learn about the withdrawal.
  expect(publish).toHaveBeenCalledWith(expect.objectContaining({ type: 'user', userId: client.user.id }));
  publish.mockRestore();
});

test('a request for a new email is refused if the password changes while it is being checked', async () => {
  const account = await signUp();
  const { passwords } = app.deps;
  const { client } = limitedClient(app, account, {
    passwords: {
      ...passwords,
      verify: async (...args) => {
        const isRight = await passwords.verify(...args);
        await db.sql`update users set password_hash = 'another' where id = ${account.user.id}`;
        return isRight;
      },
    },
  });
  const change = { email: newAddress(), currentPassword: account.password };
  expect((await client.patch('/api/user', change)).status).toBe(403);
  expect(await emailOf(account)).toMatchObject({ pendingEmail: null });
});

test('undoing a request concurrently with its confirmation always restores the old email', async () => {
  for (let round = 0; round < 5; round++) {
    const client = await signUp();
    const { email } = client.user;
    const requestedEmail = newAddress();
    await requestEmail(client, requestedEmail);
    const token = tokenIn(await mailTo(app, email));
    const confirmation = tokenIn(await mailTo(app, requestedEmail));
    const [undone] = await Promise.all([
      undo(token),
      visitor().get(`/api/verify-email?token=${confirmation}`),
    ]);
    expect(undone.status).toBe(200);
    expect(await emailOf(client)).toMatchObject({ email, pendingEmail: null });
    expect(await isLoggedIn(client)).toBe(false);
  }
});

test('concurrent identical requests send one notice and one link', async () => {
  const client = await signUp();
  await mailTo(app, client.user.email);
  const requestedEmail = newAddress();
  const responses = await Promise.all([
    requestEmail(client, requestedEmail),
    requestEmail(client, requestedEmail),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  const rows = await db.sql`select purpose from mail_queue order by purpose`;
  expect(rows).toEqual([{ purpose: 'email-change' }, { purpose: 'verify' }]);
});

test('a request can be withdrawn without a password by requesting the current email', async () => {
  const client = await signUp();
  const { email } = client.user;
  const requestedEmail = newAddress();
  await requestEmail(client, requestedEmail);
  const confirmation = tokenIn(await mailTo(app, requestedEmail));
  const response = await client.patch('/api/user', { email });
  expect([response.status, (await response.json()).pendingEmail]).toEqual([200, undefined]);
  expect((await visitor().get(`/api/verify-email?token=${confirmation}`)).status).toBe(400);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('a second confirmation link can be requested and voids the first', async () => {
  const client = await signUp();
  const requestedEmail = newAddress();
  await requestEmail(client, requestedEmail);
  const firstToken = tokenIn(await mailTo(app, requestedEmail));
  const response = await client.post('/api/resend-verification');
  expect(await response.json()).toEqual({ message: `A new link is on its way to ${requestedEmail}.` });
  expect((await openLinkTo(requestedEmail)).status).toBe(200);
  expect((await visitor().get(`/api/verify-email?token=${firstToken}`)).status).toBe(400);
});

test('a password reset withdraws a request for a new email', async () => {
  const client = await signUp();
  const { email } = client.user;
  const requestedEmail = newAddress();
  await requestEmail(client, requestedEmail);
  const confirmation = tokenIn(await mailTo(app, requestedEmail));
  await visitor().post('/api/forgot-password', { email });
  const token = tokenIn(await mailTo(app, email));
  expect(
    (await visitor().post('/api/reset-password', { token, password: 'a brand new password' })).status,
  ).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email, pendingEmail: null });
  expect((await visitor().get(`/api/verify-email?token=${confirmation}`)).status).toBe(400);
  expect((await mailTo(app, email)).subject).toBe('Your password was changed');
});

test('a user can request a new email 20 times per hour', async () => {
  const user = await signUp();
  const { client } = limitedClient(app, user);
  const statuses = [];
  for (let attempt = 0; attempt < 22; attempt++) {
    const change = { email: newAddress(), currentPassword: user.password };
    statuses.push((await client.patch('/api/user', change)).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429, 429]);
});

test('a user can enter 10 wrong passwords in 15 minutes, not counting correct ones', async () => {
  const user = await signUp();
  const { client } = limitedClient(app, user);
  const email = newAddress();
  const change = async (currentPassword: string) =>
    (await client.patch('/api/user', { email, currentPassword })).status;
  for (let attempt = 0; attempt < 12; attempt++) expect(await change(user.password)).toBe(200);
  const statuses = await Promise.all(Array.from({ length: 12 }, () => change('not this one')));
  expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
  expect(await change(user.password)).toBe(429);
});

test('administrators do not see an unconfirmed email', async () => {
  const admin = await signUpAdmin(app);
  const client = await signUp();
  await requestEmail(client, newAddress());
  const suspended = await (await admin.post(`/api/admin/users/${client.user.id}/suspend`)).json();
  expect(suspended.user.email).toBe(client.user.email);
  expect(suspended.user).not.toHaveProperty('pendingEmail');
});
