import { expect, test, vi } from 'vitest';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const { db, deps, signUp, visitor } = await createTestApp();

function logIn(account: TestUser, username = account.user.username): Promise<Response> {
  return visitor().post('/api/login', { username, password: account.password });
}

test('a user logs in by username or email, in any letter case, and earns a point', async () => {
  const mara = await signUp({ username: 'Mara', email: 'mara@example.org' });
  for (const [index, name] of ['Mara', 'mARA', ' mara ', 'MARA@example.org'].entries()) {
    const response = await logIn(mara, name);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: mara.user.id, points: 11 + index });
  }
});

test('only the first five logins of a day earn a point', async () => {
  const user = await signUp();
  for (const points of [11, 12, 13, 14, 15, 15, 15]) {
    expect(await (await logIn(user)).json()).toMatchObject({ points });
  }
});

test('twelve concurrent logins succeed and earn five points', async () => {
  const account = await signUp();
  const responses = await Promise.all(Array.from({ length: 12 }, () => logIn(account)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  const [row] = await db.sql<[{ points: number; sum: number }]>`
    select points, (select sum(delta)::int from point_entries where user_id = users.id) as sum
    from users where id = ${account.user.id}`;
  expect(row).toEqual({ points: 15, sum: 15 });
});

/** Moves the logins of a user to the last century. Their source is `login:<day>:<number>`. */
const moveLoginsToAnotherDay = (userId: number) =>
  db.sql`
    update point_entries set source = replace(source, ':20', ':19') where user_id = ${userId} and reason = 'login'`;

test('a login on the next day earns a point again', async () => {
  const account = await signUp();
  for (let count = 0; count < 6; count++) await logIn(account);
  await moveLoginsToAnotherDay(account.user.id);
  expect(await (await logIn(account)).json()).toMatchObject({ points: 16 });
});

test('an unknown username and a wrong password get the same response', async () => {
  const { user } = await signUp();
  const wrongPassword = await visitor().post('/api/login', {
    username: user.username,
    password: 'not this one',
  });
  const unknownUsername = await visitor().post('/api/login', {
    username: 'nobody.here',
    password: 'not this one',
  });
  expect([wrongPassword.status, unknownUsername.status]).toEqual([401, 401]);
  const [wrongPasswordBody, unknownUsernameBody] = [await wrongPassword.json(), await unknownUsername.json()];
  expect(wrongPasswordBody).toMatchObject({ code: 'invalid_credentials' });
  expect({ ...wrongPasswordBody, requestId: '' }).toEqual({ ...unknownUsernameBody, requestId: '' });
  expect(wrongPassword.headers.getSetCookie()).toEqual([]);
});

test('a password for an unknown name is checked, too, so that the response takes the same time', async () => {
  const verify = vi.spyOn(deps.passwords, 'verify');
  await visitor().post('/api/login', { username: 'nobody.here', password: 'not this one' });
  expect(verify).toHaveBeenCalledExactlyOnceWith('not this one', null, expect.anything());
  verify.mockRestore();
});

test('only a client with the correct password sees that an account is suspended', async () => {
  const account = await signUp();
  await db.sql`update users set is_suspended = true where id = ${account.user.id}`;
  const response = await logIn(account);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: 'suspended' });
  expect(response.headers.getSetCookie()).toEqual([]);
  const wrongPassword = await visitor().post('/api/login', {
    username: account.user.username,
    password: 'not this one',
  });
  expect(wrongPassword.status).toBe(401);
});

test('a user who is suspended while the password is being checked sees that, too', async () => {
  const account = await signUp();
  const verify = deps.passwords.verify;
  vi.spyOn(deps.passwords, 'verify').mockImplementationOnce(async (...check) => {
    await db.sql`update users set is_suspended = true where id = ${account.user.id}`;
    return verify(...check);
  });
  const response = await logIn(account);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: 'suspended' });
  expect(response.headers.getSetCookie()).toEqual([]);
});

test.each([
  [{ password: 'x' }, 'Username is required'],
  [{ username: '  ', password: 'x' }, 'Username is required'],
  [{ username: 'mara' }, 'Password is required'],
  [{ username: 'mara', password: '' }, 'Password is required'],
])('the login %o is refused with “%s”', async (body, message) => {
  const response = await visitor().post('/api/login', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_input', message });
});
