import { beforeAll, describe, expect, test } from 'vitest';
import { SESSION_CHECK_INTERVAL_MS } from '#api/live/live-hub.ts';
import { auditOf, signUpAdmin } from '#api/testing/admins.ts';
import { openPoll } from '#api/testing/poll-factory.ts';
import { connect, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { userActionSchema } from '#shared/admin/schema.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';

const app = await createTestApp();
const address = await serveLive(app);
let admin: TestUser;

beforeAll(async () => {
  admin = await signUpAdmin(app);
});

const changeUser = (id: number | string, verb: 'suspend' | 'unsuspend') =>
  admin.post(`/api/admin/users/${id}/${verb}`);
const logIn = ({ user, password }: TestUser) =>
  app.visitor().post('/api/login', { username: user.username, password });

describe('suspending a user', () => {
  test('ends all their sessions and sockets at once, and refuses further logins', async () => {
    const account = await app.signUp();
    const secondBrowser = app.visitor();
    await secondBrowser.post('/api/login', { username: account.user.username, password: account.password });
    const poll = await openPoll(app, account);
    const sockets = [await connect(address, account), await connect(address, secondBrowser)];
    const startMs = performance.now();

    const response = await changeUser(account.user.id, 'suspend');
    expect(response.status).toBe(200);
    const { message, user: suspended } = userActionSchema.parse(await response.json());
    expect(message).toContain(account.user.username);
    expect(suspended).toMatchObject({ id: account.user.id, isSuspended: true });
    expect(suspended.rev).toBeGreaterThan(account.user.rev);
    for (const socket of sockets) expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
    // Long before the periodic check of all sessions would have closed them.
    expect(performance.now() - startMs).toBeLessThan(SESSION_CHECK_INTERVAL_MS / 6);
    expect((await account.get('/api/user')).status).toBe(401);
    expect((await secondBrowser.get('/api/user')).status).toBe(401);
    const login = await logIn(account);
    expect(login.status).toBe(403);
    expect(await login.json()).toMatchObject({ code: 'suspended' });
    const pollAfterwards = await (await admin.get(`/api/questions/${poll.id}`)).json();
    expect(pollAfterwards).toMatchObject({
      active: true,
      status: 'active',
      user: { username: account.user.username },
    });
  });

  test('is undone by unsuspending, except for the ended sessions', async () => {
    const account = await app.signUp();
    await changeUser(account.user.id, 'suspend');
    const response = await changeUser(account.user.id, 'unsuspend');
    expect(userActionSchema.parse(await response.json()).user).toMatchObject({ isSuspended: false });
    expect((await account.get('/api/user')).status).toBe(401);
    expect((await logIn(account)).status).toBe(200);
  });

  test('is idempotent, and recorded only when it changes the user', async () => {
    const { user } = await app.signUp();
    const revs: number[] = [];
    for (const verb of ['suspend', 'suspend', 'unsuspend', 'unsuspend'] as const) {
      const response = await changeUser(user.id, verb);
      expect(response.status).toBe(200);
      revs.push((await response.json()).user.rev);
    }
    expect(revs).toEqual([1, 1, 2, 2].map((changes) => user.rev + changes));
    expect(await auditOf(app, `user ${user.id}`)).toEqual([
      { adminId: admin.user.id, action: 'user.suspend' },
      { adminId: admin.user.id, action: 'user.unsuspend' },
    ]);
  });

  test('several times concurrently is recorded once', async () => {
    const { user } = await app.signUp();
    const responses = await Promise.all(Array.from({ length: 8 }, () => changeUser(user.id, 'suspend')));
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await auditOf(app, `user ${user.id}`)).toHaveLength(1);
  });

  test('leaves no session of a concurrent login', async () => {
    const account = await app.signUp();
    const logins = Array.from({ length: 6 }, () => logIn(account));
    const [suspended] = await Promise.all([changeUser(account.user.id, 'suspend'), ...logins]);
    expect(suspended.status).toBe(200);
    const remaining = await app.db.sql`select from sessions where user_id = ${account.user.id}`;
    expect(remaining.count).toBe(0);
  });
});

describe('an administrator can neither suspend nor delete', () => {
  const verbs = ['suspend', 'unsuspend', 'delete'] as const;

  async function expectProtected(id: number): Promise<void> {
    const before = await app.db.sql`select * from users where id = ${id}`;
    for (const verb of verbs) {
      const response =
        verb === 'delete' ? await admin.delete(`/api/admin/users/${id}`) : await changeUser(id, verb);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'protected_account' });
    }
    expect(await app.db.sql`select * from users where id = ${id}`).toEqual(before);
    expect(await auditOf(app, `user ${id}`)).toEqual([]);
  }

  test('another administrator, even a suspended one', async () => {
    const otherAdmin = await signUpAdmin(app);
    await expectProtected(otherAdmin.user.id);
    await app.db.sql`update users set is_suspended = true where id = ${otherAdmin.user.id}`;
    await expectProtected(otherAdmin.user.id);
  });

  test('their own account', async () => {
    await expectProtected(admin.user.id);
    expect((await admin.get('/api/admin/check')).status).toBe(200);
  });

  test('the owner, even without `isAdmin`', async () => {
    await app.db.sql`
      insert into users (id, username, email, password_hash, referral_code)
      values (${OWNER_USER_ID}, 'the-owner', 'owner@example.org', 'none', 'OWNER')`;
    await expectProtected(OWNER_USER_ID);
  });
});

test.each(['99999999', '0', '99999999999999999999', 'abc', '1.5', '-1', '1e3', '%00'])(
  'a change to the unknown user id %s gets the error `not_found`',
  async (id) => {
    const responses = [
      await changeUser(id, 'suspend'),
      await changeUser(id, 'unsuspend'),
      await admin.delete(`/api/admin/users/${id}`),
    ];
    for (const response of responses) {
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'not_found' });
    }
  },
);
