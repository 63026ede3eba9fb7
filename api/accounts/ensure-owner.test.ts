import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { voidOlderTokens } from '#api/mail/email-tokens.ts';
import { explainStartError } from '#api/start-error.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { ensureOwner, OwnerPasswordError } from './ensure-owner.ts';

const { db, deps, signUp, visitor } = await createTestApp();

const resetWith = (token: string | null, password: string) =>
  visitor().post('/api/reset-password', { token, password });
/** Restores the state before the first start. */
const deleteOwner = () => db.sql`delete from users where id = 15`;
const logInAs = (username: string, password: string) => visitor().post('/api/login', { username, password });

test('the first start creates the owner’s account, and any link printed so far sets the password once', async () => {
  const tokens = await Promise.all([ensureOwner(deps), ensureOwner(deps), ensureOwner(deps)]);
  expect(new Set(tokens).size).toBe(3);
  // Until the account has a password, nobody can log in to it.
  expect((await logInAs('owner', '')).status).toBe(400);
  expect((await logInAs('owner', 'any password')).status).toBe(401);

  tokens.push(await ensureOwner(deps));
  const response = await resetWith(tokens[0] ?? null, 'set by the owner');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ message: 'Your password is set. Please log in with it.' });
  for (const token of tokens) expect((await resetWith(token, 'set by another')).status).toBe(400);
  expect(await ensureOwner(deps)).toBeNull();
  const login = await logInAs('owner', 'set by the owner');
  expect(await login.json()).toMatchObject({ id: 15, isAdmin: true, isVerified: true, points: 11 });
});

test('a mail with a link to reset the password, which anybody can request, leaves the printed link valid', async () => {
  await deleteOwner();
  const token = await ensureOwner(deps);
  const idOfMail = 7;
  await voidOlderTokens(db, { userId: 15, purpose: 'reset' }, idOfMail);
  expect((await resetWith(token, 'set by the owner')).status).toBe(200);
});

test('of two concurrent uses of the link, only one sets the password', async () => {
  await deleteOwner();
  const token = await ensureOwner(deps);
  const uses = ['first of the two', 'second of the two'].map(async (password) => resetWith(token, password));
  const statuses = (await Promise.all(uses)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 400]);
});

test('a start prints no link if the owner sets the password meanwhile', async () => {
  await deleteOwner();
  await ensureOwner(deps);
  const { token } = await inTransaction(db, async (tx) => {
    await tx.sql`update users set password_hash = 'set by the owner' where id = 15`;
    await tx.sql`delete from email_tokens where user_id = 15`;
    const starting = ensureOwner(deps);
    // A start that did not wait for this transaction would end within this time.
    await Promise.race([starting, setTimeout(500)]);
    return { token: starting };
  });
  expect(await token).toBeNull();
  expect((await db.sql`select from email_tokens where user_id = 15`).count).toBe(0);
});

test('the link expires after 24 hours, and the next start creates another link', async () => {
  await deleteOwner();
  const token = await ensureOwner(deps);
  const [row] = await db.sql<[{ hours: number }]>`
    select extract(epoch from expires_at - now())::float / 3600 as hours from email_tokens where user_id = 15`;
  expect(row.hours).toBeGreaterThan(23.9);
  expect(row.hours).toBeLessThanOrEqual(24);
  await db.sql`update email_tokens set expires_at = now() - interval '1 second' where user_id = 15`;
  expect((await resetWith(token, 'much too late')).status).toBe(400);
  expect((await resetWith(await ensureOwner(deps), 'in good time')).status).toBe(200);
});

test('a password configured after the first start is set, unless the owner already has one', async () => {
  await deleteOwner();
  const token = await ensureOwner(deps);
  const withPassword = (password: string) => ({
    ...deps,
    env: { ...deps.env, owner: { ...deps.env.owner, password } },
  });
  expect(await ensureOwner(withPassword('set by the script'))).toBeNull();
  expect((await resetWith(token, 'set by another')).status).toBe(400);
  expect(await ensureOwner(withPassword('set much later'))).toBeNull();
  expect((await logInAs('owner', 'set by the script')).status).toBe(200);
  expect((await logInAs('owner', 'set much later')).status).toBe(401);
});

test.each([
  ['password1', 'Too easy: it is one of the first that people would try.'],
  ['Boss-2026', 'Too easy: it has your name in it.'],
  ['this or that', 'Too easy: it has the name of this app in it.'],
])(
  'the start fails with the guessable OWNER_PASSWORD %s unless the owner already has a password',
  async (password, reason) => {
    await deleteOwner();
    const owner = { username: 'boss', email: 'boss@example.org', password };
    const weakDeps = { ...deps, env: { ...deps.env, owner } };
    const error = await ensureOwner(weakDeps).catch((thrown: unknown) => thrown);
    const message = explainStartError(error);
    expect(message).toBe(
      `OWNER_PASSWORD cannot be the owner's password. ${reason} Set another one, or unset the variable: the server then prints a link for setting the password when it starts.`,
    );
    expect(message).not.toContain(password);
    expect((await db.sql`select from users where id = 15`).count).toBe(0);

    const token = await ensureOwner({ ...deps, env: { ...deps.env, owner: { ...owner, password: null } } });
    await expect(ensureOwner(weakDeps)).rejects.toThrow(OwnerPasswordError);
    expect((await resetWith(token, 'set by the owner')).status).toBe(200);
    expect(await ensureOwner(weakDeps)).toBeNull();
    expect((await logInAs('boss', password)).status).toBe(401);
    expect((await logInAs('boss', 'set by the owner')).status).toBe(200);
  },
);

test('a password configured before the first start is set, and no link is printed', async () => {
  await deleteOwner();
  const env = {
    ...deps.env,
    owner: { username: 'boss', email: 'boss@example.org', password: 'correct horse' },
  };
  expect(await ensureOwner({ ...deps, env })).toBeNull();
  const response = await visitor().post('/api/login', { username: 'boss', password: 'correct horse' });
  expect(response.status).toBe(200);
});

test('the start fails if OWNER_USERNAME belongs to another account', async () => {
  await deleteOwner();
  await signUp({ username: 'mara' });
  const env = { ...deps.env, owner: { username: 'Mara', email: 'boss@example.org', password: null } };
  await expect(ensureOwner({ ...deps, env })).rejects.toThrow('OWNER_USERNAME');
});
