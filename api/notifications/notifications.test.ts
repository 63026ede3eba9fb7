import { expect, test } from 'vitest';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { removeExpired } from '#api/housekeeping/housekeeping.ts';
import { kindsOf, notificationsOf, postRead } from '#api/testing/notifications.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { planOf } from '#api/testing/servers/database.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { NOTIFICATIONS_MAX } from '#shared/notifications/constants.ts';
import { selectNotificationsBefore } from './queries.ts';

const app = await createTestApp();
const { db } = app;

/** Writes notifications without a poll for a user; returns their ids, newest first. */
async function notify({ user }: TestUser, count: number): Promise<number[]> {
  const rows = await db.sql<{ id: number }[]>`
    insert into notifications (user_id, kind) select ${user.id}, 'removed' from generate_series(1, ${count}::int)
    returning id::int`;
  return rows.map(({ id }) => id).toSorted((a, b) => b - a);
}

const unreadIds = async (client: TestUser) =>
  (await notificationsOf(client)).data.filter(({ readAt }) => readAt === null).map(({ id }) => id);

test('a notification has the poll with its results, but no voters', async () => {
  const maker = await app.signUp();
  const poll = await openPoll(app, maker, { question: 'Tea?', option1Caption: 'Yes', option2Caption: 'No' });
  await postVote(await app.signUp(), poll.id, 2);
  const { data, ...page } = await notificationsOf(maker);
  expect(page).toEqual({ unread: 1, nextCursor: null });
  expect(data).toEqual([
    {
      id: expect.any(Number),
      kind: 'first_vote',
      poll: {
        id: poll.id,
        question: 'Tea?',
        option1Image: poll.option1Image,
        option2Image: poll.option2Image,
        option1Caption: 'Yes',
        option2Caption: 'No',
        option1Preview: poll.option1Preview,
        option2Preview: poll.option2Preview,
        responsesWanted: 10,
        results: { option1: 0, option2: 1 },
      },
      user: null,
      rule: null,
      verdict: null,
      createdAt: expect.stringMatching(/Z$/),
      readAt: null,
    },
  ]);
  await db.sql`delete from polls where id = ${poll.id}`;
  expect((await notificationsOf(maker)).data).toMatchObject([{ kind: 'first_vote', poll: null }]);
});

test('marking as read affects notifications of the user up to the given one, and is idempotent', async () => {
  const [user, otherUser] = [await app.signUp(), await app.signUp()];
  const [newest = 0, middle = 0, oldest = 0] = await notify(user, 3);
  const otherUserIds = await notify(otherUser, 1);
  for (let count = 0; count < 2; count += 1) {
    const response = await postRead(user, middle);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await unreadIds(user)).toEqual([newest]);
  }
  const readAt = async () => (await notificationsOf(user)).data.map((notification) => notification.readAt);
  const before = await readAt();
  await postRead(user, oldest);
  expect(await readAt()).toEqual(before);
  expect(await notificationsOf(user)).toMatchObject({ unread: 1 });
  await Promise.all([postRead(user, newest), postRead(user, newest)]);
  expect(await notificationsOf(user)).toMatchObject({ unread: 0 });
  expect(await unreadIds(otherUser)).toEqual(otherUserIds);
});

test('a notification that arrives after the newest shown one remains unread', async () => {
  const user = await app.signUp();
  const [shown = 0] = await notify(user, 1);
  const [later = 0] = await notify(user, 1);
  await postRead(user, shown);
  expect(await unreadIds(user)).toEqual([later]);
});

test('after a restore new notifications have higher ids than any that a device has seen', async () => {
  const user = await app.signUp();
  const [seenId = 0] = await notify(user, 1);
  await db.sql`delete from notifications where id = ${seenId}`;
  await renewEpoch(db);
  const newUser = await app.signUp();
  const [nextId = 0] = await notify(newUser, 1);
  // Far above all ids that the lost history can have used since the backup.
  expect(nextId).toBeGreaterThan(seenId + 100_000_000);
});

test('pages are read from an index and continue where the previous one ended', async () => {
  const account = await app.signUp();
  const ids = await notify(account, 5);
  const firstPage = await notificationsOf(account, '?limit=2');
  await notify(account, 1);
  const secondPage = await notificationsOf(account, `?limit=2&cursor=${firstPage.nextCursor}`);
  const lastPage = await notificationsOf(account, `?limit=2&cursor=${secondPage.nextCursor}`);
  expect([firstPage, secondPage, lastPage].flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
  expect([lastPage.nextCursor, lastPage.unread]).toEqual([null, 6]);

  // So many, most of them of other users, that the planner prefers the index.
  await db.sql`
    insert into notifications (user_id, kind)
    select recent.id, 'removed' from (select id from users order by id desc limit 5) recent,
      generate_series(1, case when recent.id = ${account.user.id} then 200 else 4000 end)`;
  await db.sql`analyze notifications`;
  // A later page with 30 notifications: `beforeId` is beyond all ids, and one more shows whether another page follows.
  const plan = await planOf(db, selectNotificationsBefore(db, account.user.id, 9_000_000_000_000, 31));
  expect(plan).toContain('Index Scan Backward using notifications_user on');
  expect(plan).not.toContain('Sort');
});

test('an invalid cursor and invalid ids to mark as read are refused', async () => {
  const user = await app.signUp();
  expect((await user.get('/api/notifications?cursor=x')).status).toBe(400);
  for (const upTo of [0, 1.5, '1', null]) expect((await postRead(user, upTo)).status).toBe(400);
});

test('old notifications and those beyond the maximum are deleted', async () => {
  const [userWithOldNotifications, userWithManyNotifications] = [await app.signUp(), await app.signUp()];
  const [recentId = 0, oldId = 0] = await notify(userWithOldNotifications, 2);
  await db.sql`update notifications set created_at = now() - interval '91 days' where id = ${oldId}`;
  await db.sql`update notifications set created_at = now() - interval '89 days' where id = ${recentId}`;
  const ids = await notify(userWithManyNotifications, NOTIFICATIONS_MAX + 2);
  await removeExpired(db);
  expect((await notificationsOf(userWithOldNotifications)).data.map(({ id }) => id)).toEqual([recentId]);
  const [remaining] = await db.sql`
    select count(*)::int as count, min(id)::int as oldest from notifications where user_id = ${userWithManyNotifications.user.id}`;
  expect(remaining).toEqual({ count: NOTIFICATIONS_MAX, oldest: ids.at(-3) });
});

test('notifications are deleted with their account', async () => {
  const [account, friend] = [await app.signUp(), await app.signUp()];
  await notify(account, 1);
  await db.sql`
    insert into notifications (user_id, kind, friend_id) values (${friend.user.id}, 'referral_joined', ${account.user.id})`;
  await db.sql`delete from users where id = ${account.user.id}`;
  expect(await db.sql`select from notifications where user_id = ${account.user.id}`).toHaveLength(0);
  expect((await notificationsOf(friend)).data).toMatchObject([{ kind: 'referral_joined', user: null }]);
  expect(await kindsOf(friend)).toEqual(['referral_joined']);
});
