import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { SESSION_CHECK_INTERVAL_MS } from '#api/live/live-hub.ts';
import { auditOf, signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { effectsOf, givePoints, openPoll, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { connect, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';

const app = await createTestApp();
const { db } = app;
const address = await serveLive(app);
let admin: TestUser;
let other: TestUser;

beforeAll(async () => {
  admin = await signUpAdmin(app);
  other = await app.signUp({ username: 'other' });
});

const deleteUser = (id: number) => admin.delete(`/api/admin/users/${id}`);

/** The tables with a row that contains `text` in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const matching: string[] = [];
  const tables = await db.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`;
  for (const { name } of tables) {
    const rows = await db.sql`select from ${db.sql(name)} rows where rows::text ilike ${`%${text}%`} limit 1`;
    if (rows.count > 0) matching.push(name);
  }
  return matching;
}

describe('deleting a user', () => {
  test('removes all personal data and keeps tallies and totals', async () => {
    const account = await app.signUp({ username: 'Leaving.Soon' });
    const friend = await app.signUp({ referralCode: account.user.referralCode });
    // The rows of `rate_limits` outlive the user, so they must not contain the name or the email.
    const limited = await createTestApp({ rateLimits: true, db });
    for (const name of ['leaving.soon@example.org', 'Leaving.Soon']) {
      await limited.visitor().post('/api/login', { username: name, password: 'wrong' });
    }
    await limited.visitor().post('/api/forgot-password', { email: 'leaving.soon@example.org' });
    expect((await db.sql`select from rate_limits`).count).toBeGreaterThan(0);
    const ownPoll = await openPoll(app, account, { question: 'Mine?' });
    const otherPoll = await openPoll(app, other);
    await postVote(account, otherPoll.id, 1, randomUUID());
    await postVote(other, ownPoll.id, 2, randomUUID());
    const socket = await connect(address, account);
    const startMs = performance.now();

    const response = await deleteUser(account.user.id);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: 'The user was deleted.' });
    expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
    // Long before the periodic check of all sessions would have closed it.
    expect(performance.now() - startMs).toBeLessThan(SESSION_CHECK_INTERVAL_MS / 6);
    expect((await account.get('/api/user')).status).toBe(401);

    expect(await tablesWith('leaving.soon')).toEqual([]);
    const [remaining] = await db.sql`
      select
        (select count(*)::int from sessions where user_id = ${account.user.id}) as sessions,
        (select count(*)::int from email_tokens where user_id = ${account.user.id}) as tokens,
        (select count(*)::int from mutation_receipts where user_id = ${account.user.id}) as receipts,
        (select count(*)::int from mail_queue where user_id = ${account.user.id}) as mails,
        (select referred_by from users where id = ${friend.user.id}) as referrer`;
    expect(remaining).toEqual({ sessions: 0, tokens: 0, receipts: 0, mails: 0, referrer: null });
    expect(await (await other.get(`/api/questions/${ownPoll.id}`)).json()).toMatchObject({
      user: null,
      question: 'Mine?',
      votesCount: 1,
      votes: [{ option: 2 }],
    });
    expect(await (await other.get(`/api/questions/${otherPoll.id}`)).json()).toMatchObject({ votesCount: 1 });
    expect(await violatedInvariants(db)).toEqual([]);
    expect(await auditOf(app, `user ${account.user.id}`)).toEqual([
      { adminId: admin.user.id, action: 'user.delete' },
    ]);
  });

  test('removes the name from the feed before it responds', async () => {
    const account = await app.signUp({ username: 'shown-in-feed' });
    await openPoll(app, account);
    expect(await (await other.get('/api/questions')).text()).toContain('shown-in-feed');
    await deleteUser(account.user.id);
    expect(await (await other.get('/api/questions')).text()).not.toContain('shown-in-feed');
  });

  test('makes the username and email available again', async () => {
    const account = await app.signUp({ username: 'comes-back' });
    await deleteUser(account.user.id);
    const newUser = await app.signUp({ username: 'Comes-Back' });
    expect(newUser.user.id).not.toBe(account.user.id);
    expect(newUser.user.points).toBe(10);
  });

  test('responds with 404 when the user has already been deleted', async () => {
    const { user } = await app.signUp();
    const responses = await Promise.all(Array.from({ length: 5 }, () => deleteUser(user.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect((await deleteUser(user.id)).status).toBe(404);
    expect(await auditOf(app, `user ${user.id}`)).toHaveLength(1);
  });

  test('keeps the audit entries of a former administrator without their name', async () => {
    const former = await signUpAdmin(app, { username: 'former-admin' });
    const { user } = await app.signUp();
    await former.post(`/api/admin/users/${user.id}/suspend`);
    await db.sql`update users set is_admin = false where id = ${former.user.id}`;
    await deleteUser(former.user.id);
    expect(await auditOf(app, `user ${user.id}`)).toEqual([{ adminId: null, action: 'user.suspend' }]);
    const { entries } = await (await admin.get('/api/admin/audit')).json();
    // The newest entry is that of the deletion.
    expect(entries[1]).toMatchObject({ admin: null, action: 'user.suspend', target: `user ${user.id}` });
  });
});

describe('deleting a user during other requests', () => {
  test('counts or refuses each of their votes', async () => {
    const polls = [];
    for (let count = 0; count < 6; count += 1) polls.push(await openPoll(app, other));
    for (let round = 0; round < 3; round += 1) {
      const account = await app.signUp();
      // With and without an idempotency key, and so with and without a receipt.
      const voting = polls.map(({ id }, index) =>
        postVote(account, id, 1, index % 2 === 0 ? randomUUID() : undefined),
      );
      const [deleted, ...votes] = await Promise.all([deleteUser(account.user.id), ...voting]);
      expect(deleted.status).toBe(200);
      for (const { status } of votes) expect([200, 401]).toContain(status);
      expect(await violatedInvariants(db)).toEqual([]);
    }
  });

  test('stores and charges each of their new polls, or leaves nothing of it', async () => {
    const account = await app.signUp();
    await givePoints(app, account.user.id, 100);
    const making = Array.from({ length: 5 }, (_, index) =>
      postPoll(account, {}, index % 2 === 0 ? { 'Idempotency-Key': randomUUID() } : {}),
    );
    const deleting = making[0]?.then(() => deleteUser(account.user.id));
    const responses = await Promise.all(making);
    expect((await deleting)?.status).toBe(200);
    for (const { status } of responses) expect([201, 401]).toContain(status);
    expect(await violatedInvariants(db)).toEqual([]);
    expect((await effectsOf(app, other)).orphans).toBe(0);
  });

  test('counts every vote on their polls', async () => {
    const account = await app.signUp();
    const poll = await openPoll(app, account);
    const voters: TestUser[] = [];
    for (let count = 0; count < 8; count += 1) voters.push(await app.signUp());
    const [deleted, ...votes] = await Promise.all([
      deleteUser(account.user.id),
      ...voters.map((voter) => postVote(voter, poll.id, 1, randomUUID())),
    ]);
    expect([deleted, ...votes].map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('does not deadlock with the verification of a friend’s email', async () => {
    const account = await app.signUp();
    const friend = await app.signUp({ referralCode: account.user.referralCode });
    let deleting: Promise<Response> | undefined;
    // Like the verification, this locks the referrer's row first, then the friend's. The deletion must lock in the same order.
    await db.sql.begin(async (sql) => {
      await sql`select from users where id = ${account.user.id} for no key update`;
      deleting = deleteUser(account.user.id);
      // Time for the deletion to reach the lock of the referrer's row.
      await sleep(200);
      const [locked] = await sql`select id from users where id = ${friend.user.id} for no key update nowait`;
      expect(locked).toEqual({ id: friend.user.id });
    });
    expect((await deleting)?.status).toBe(200);
  });
});
