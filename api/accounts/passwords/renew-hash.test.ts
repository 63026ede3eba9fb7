import { expect, test } from 'vitest';
import { logIn } from '#api/accounts/log-in.ts';
import { createPasswordPool } from '#api/passwords/password-pool.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { renewHash } from './renew-hash.ts';

const { db, deps, signUp, visitor } = await createTestApp();
const caller = { client: '203.0.113.1' };

async function hashOf({ user }: TestUser): Promise<string> {
  const [row] = await db.sql<
    [{ hash: string }]
  >`select password_hash as hash from users where id = ${user.id}`;
  return row.hash;
}

/** Replaces the user's password hash with a hash of another cost, as an earlier configuration would have stored it. */
async function storeHashOfCost(account: TestUser, cost: number): Promise<string> {
  const pool = createPasswordPool({ cost });
  const hash = await pool.hash(account.password, caller);
  await pool.close();
  await db.sql`update users set password_hash = ${hash} where id = ${account.user.id}`;
  return hash;
}

const requestLogin = (account: TestUser, password = account.password) =>
  visitor().post('/api/login', { username: account.user.username, password });

test('a login renews a password hash of another cost', async () => {
  const user = await signUp();
  const firstHash = await hashOf(user);
  expect((await requestLogin(user)).status).toBe(200);
  const oldHash = await storeHashOfCost(user, 5);
  expect((await requestLogin(user, 'not this one')).status).toBe(401);
  expect(await hashOf(user)).toBe(oldHash);

  expect((await requestLogin(user)).status).toBe(200);
  // Hashes of the test app have cost 4.
  await expect.poll(() => hashOf(user)).toMatch(/^\$2[ab]\$04\$/);
  const renewedHash = await hashOf(user);
  expect(renewedHash).not.toBe(firstHash);
  expect((await requestLogin(user)).status).toBe(200);
  expect(await hashOf(user)).toBe(renewedHash);
});

test('renewing a hash does not overwrite a concurrent change of the password', async () => {
  const account = await signUp();
  const passwordHash = await storeHashOfCost(account, 5);
  const passwords = {
    ...deps.passwords,
    hash: async (...args: Parameters<typeof deps.passwords.hash>) => {
      const hash = await deps.passwords.hash(...args);
      await db.sql`update users set password_hash = 'the new one' where id = ${account.user.id}`;
      return hash;
    },
  };
  await renewHash({ ...deps, passwords }, { id: account.user.id, passwordHash }, account.password, caller);
  expect(await hashOf(account)).toBe('the new one');
});

test('concurrent logins succeed while the hash is renewed', async () => {
  const user = await signUp();
  await storeHashOfCost(user, 5);
  const responses = await Promise.all(Array.from({ length: 12 }, () => requestLogin(user)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
});

test('a login succeeds if the hash is renewed between the password check and the opening of the session', async () => {
  const account = await signUp();
  let checks = 0;
  const passwords = {
    ...deps.passwords,
    verify: async (...args: Parameters<typeof deps.passwords.verify>) => {
      const isRight = await deps.passwords.verify(...args);
      checks += 1;
      if (checks === 1) await storeHashOfCost(account, 5);
      return isRight;
    },
  };
  const attempt = {
    username: account.user.username,
    password: account.password,
    caller,
    previousToken: null,
    onSlowdown: () => {},
  };
  const loggedIn = await logIn({ ...deps, passwords }, attempt);
  expect(loggedIn.user.id).toBe(account.user.id);
  expect(checks).toBe(2);
});
