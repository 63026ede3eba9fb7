import { expect, test } from 'vitest';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { userSchema } from '#shared/accounts/schema.ts';

const app = await createTestApp();
const { db, signUp, visitor } = app;

const fields = { username: 'mara.lind', email: 'Mara@example.org', password: 'correct horse' };

async function pointsOf(id: number): Promise<number> {
  const [row] = await db.sql<[{ points: number; sum: number }]>`
    select points, (select coalesce(sum(delta), 0)::int from point_entries where user_id = ${id}) as sum
    from users where id = ${id}`;
  expect(row.points).toBe(row.sum);
  return row.points;
}

test('a new user gets an account with ten points and an id beyond the reserved ones', async () => {
  const client = visitor();
  const response = await client.post('/api/register', fields);
  expect(response.status).toBe(201);
  const user = userSchema.parse(await response.json());
  expect(user).toMatchObject({
    username: 'mara.lind',
    email: 'Mara@example.org',
    points: 10,
    isAdmin: false,
    isSuspended: false,
    isVerified: false,
  });
  expect(user.id).toBeGreaterThanOrEqual(100);
  expect(user.createdAt).toBe(new Date(user.createdAt).toISOString());
  expect(await (await client.get('/api/user')).json()).toEqual(user);
  expect(await pointsOf(user.id)).toBe(10);
});

test('a sign-up with a taken username or email, in any letter case, gets the same message for both', async () => {
  await signUp({ username: 'taken', email: 'taken@example.org' });
  const byName = await visitor().post('/api/register', {
    ...fields,
    username: 'TAKEN',
    email: 'new@example.org',
  });
  const byEmail = await visitor().post('/api/register', {
    ...fields,
    username: 'new',
    email: 'Taken@Example.org',
  });
  expect([byName.status, byEmail.status]).toEqual([409, 409]);
  const [takenNameBody, takenEmailBody] = [await byName.json(), await byEmail.json()];
  expect(takenNameBody).toMatchObject({ code: 'taken' });
  expect(takenNameBody.message).toBe(takenEmailBody.message);
});

test('of a hundred concurrent sign-ups with one username in different letter cases, one succeeds', async () => {
  const spellings = ['crowd', 'CROWD', 'Crowd', 'cROWd', 'crOwD'];
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, number) =>
      visitor().post('/api/register', {
        ...fields,
        username: spellings[number % spellings.length],
        email: `crowd${number}@example.org`,
      }),
    ),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(99);
  const rows = await db.sql`select from users where lower(username) = 'crowd'`;
  expect(rows.count).toBe(1);
});

test('fields of a sign-up that are not in the contract have no effect', async () => {
  const response = await visitor().post('/api/register', {
    ...fields,
    username: 'mallory',
    email: 'mallory@example.org',
    id: 15,
    isAdmin: true,
    isVerified: true,
    points: 1_000,
    referredBy: 15,
  });
  expect(response.status).toBe(201);
  const user = await response.json();
  expect(user).toMatchObject({ points: 10, isAdmin: false, isVerified: false });
  expect(user.id).not.toBe(15);
});

test('a referral code earns its user five points for each new user', async () => {
  const referrer = await signUp();
  await signUp({ referralCode: referrer.user.referralCode });
  expect(await pointsOf(referrer.user.id)).toBe(15);
  await signUp({ referralCode: ` ${referrer.user.referralCode.toLowerCase()} ` });
  expect(await pointsOf(referrer.user.id)).toBe(20);
});

test('a user cannot refer their own account', async () => {
  const client = await signUp();
  const { id, username, email, referralCode } = client.user;
  const secondAccount = { email: 'again@example.org', password: 'long enough', referralCode };
  for (const ownName of [{ username }, { username: `${username}2`, email: email.toUpperCase() }]) {
    expect((await visitor().post('/api/register', { ...secondAccount, ...ownName })).status).toBe(409);
  }
  await client.patch('/api/user', { username, referralCode, referredBy: id });
  expect(await pointsOf(id)).toBe(10);
  await expect(db.sql`update users set referred_by = id where id = ${id}`).rejects.toThrow(
    'users_not_own_referrer',
  );
});

test('of twenty concurrent referrals, ten earn points at once and the others when their emails are verified', async () => {
  const referrer = await signUp();
  const { referralCode } = referrer.user;
  const referred = await Promise.all(Array.from({ length: 20 }, () => signUp({ referralCode })));
  expect(await pointsOf(referrer.user.id)).toBe(10 + 10 * 5);
  for (const { user } of referred) {
    const token = tokenIn(await mailTo(app, user.email));
    // The second use of the link earns nothing.
    for (let use = 1; use <= 2; use++) {
      expect((await visitor().get(`/api/verify-email?token=${token}`)).status).toBe(200);
    }
  }
  expect(await pointsOf(referrer.user.id)).toBe(10 + 20 * 10);
});

test('a day after the daily limit was reached, referrals earn points at once again', async () => {
  const referrer = await signUp();
  const { referralCode } = referrer.user;
  for (let count = 0; count < 11; count++) await signUp({ referralCode });
  expect(await pointsOf(referrer.user.id)).toBe(10 + 10 * 5);
  await db.sql`
    update point_entries set created_at = created_at - interval '24 hours'
    where user_id = ${referrer.user.id} and reason = 'referral'`;
  await signUp({ referralCode });
  expect(await pointsOf(referrer.user.id)).toBe(10 + 11 * 5);
});

test.each(['NOBODY', '', '💥', 'x'.repeat(5_000), 'a\u0000b', "' or 1=1"])(
  'an unknown referral code %j does not prevent a sign-up',
  async (referralCode) => {
    expect((await signUp({ referralCode })).user.points).toBe(10);
  },
);

test.each<[string, Record<string, unknown>]>([
  ['username', { username: 'ab' }],
  ['username', { username: 'a'.repeat(31) }],
  ['username', { username: 'mara lind' }],
  ['username', { username: 'mara\u0000' }],
  ['username', { username: 15 }],
  ['email', { email: 'mara@' }],
  ['email', { email: `${'a'.repeat(250)}@example.org` }],
  ['password', { password: '1234567' }],
  ['password', { password: 'x'.repeat(129) }],
  ['password', { password: undefined }],
])('an invalid %s is refused: %o', async (path, wrong) => {
  const response = await visitor().post('/api/register', { ...fields, ...wrong });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_input', issues: [{ path }] });
});

test('the response and the database contain no password', async () => {
  const { user, password } = await signUp();
  const [row] = await db.sql<
    [{ hash: string }]
  >`select password_hash as hash from users where id = ${user.id}`;
  expect(row.hash).toMatch(/^\$2/);
  expect(row.hash).not.toContain(password);
  for (const secret of [password, row.hash]) expect(JSON.stringify(user)).not.toContain(secret);
});

test.each(['admin', 'Owner.1', 'anonymous', '...'])(
  'the reserved username %s is refused',
  async (username) => {
    const response = await visitor().post('/api/register', { ...fields, username });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      code: 'taken',
      message: 'This username is reserved. Please choose another one.',
    });
  },
);

test('only administrators can choose a reserved username, but users keep one that they already have', async () => {
  const client = await signUp({ username: 'before' });
  const rename = (username: string) => client.patch('/api/user', { username });
  expect((await rename('support')).status).toBe(409);
  await db.sql`update users set username = 'support' where id = ${client.user.id}`;
  expect((await rename('Support')).status).toBe(200);
  expect((await rename('Support.2')).status).toBe(409);
  const login = await visitor().post('/api/login', { username: 'support', password: client.password });
  expect(login.status).toBe(200);
  await db.sql`update users set is_admin = true where id = ${client.user.id}`;
  expect((await rename('admin')).status).toBe(200);
});
