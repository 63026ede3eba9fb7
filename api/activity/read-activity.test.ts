import { expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { decide, postReport, putBlock } from '#api/testing/reports.ts';
import { planOf } from '#api/testing/servers/database.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { ActivityPage } from '#shared/activity/schema.ts';
import { listEntries } from './queries.ts';

const app = await createTestApp();
const { db } = app;

async function activity(viewer: TestUser, query = ''): Promise<ActivityPage> {
  return (await viewer.get(`/api/activity${query}`)).json();
}

/** The entries of a page without ids and times, as tuples. */
const tuplesOf = ({ data }: ActivityPage) =>
  data.map(({ delta, balance, reason, poll, friend }) => [
    delta,
    balance,
    reason,
    poll?.question ?? friend?.event ?? null,
  ]);

test('the activity lists the user’s points, newest first, each with its poll and the balance after it', async () => {
  const [maker, voter] = [await app.signUp(), await app.signUp()];
  const poll = await openPoll(app, maker, { question: 'Tea?' });
  await postVote(voter, poll.id, 1);
  expect(tuplesOf(await activity(voter))).toEqual([
    [1, 11, 'vote', 'Tea?'],
    [10, 10, 'signup', null],
  ]);
  // `openPoll` has given the maker the price of the poll, as another entry with the reason `signup`.
  expect(tuplesOf(await activity(maker))).toEqual([
    [-10, 10, 'poll', 'Tea?'],
    [10, 20, 'signup', null],
    [10, 10, 'signup', null],
  ]);
  const [entry] = (await activity(voter)).data;
  expect(entry).toEqual({
    id: expect.any(Number),
    delta: 1,
    balance: 11,
    reason: 'vote',
    poll: {
      id: poll.id,
      question: 'Tea?',
      option1Image: poll.option1Image,
      option2Image: poll.option2Image,
      option1Caption: null,
      option2Caption: null,
      option1Preview: poll.option1Preview,
      option2Preview: poll.option2Preview,
    },
    friend: null,
    createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
  });
});

test('the activity names a friend until they delete their account', async () => {
  const referrer = await app.signUp();
  const friend = await app.signUp({ referralCode: referrer.user.referralCode });
  await app.visitor().get(`/api/verify-email?token=${tokenIn(await mailTo(app, friend.user.email))}`);
  const readFriends = async () => (await activity(referrer)).data.map((entry) => entry.friend);
  const user = { username: friend.user.username };
  expect(await readFriends()).toEqual([{ event: 'verified', user }, { event: 'joined', user }, null]);
  await db.sql`delete from users where id = ${friend.user.id}`;
  expect((await readFriends())[0]).toEqual({ event: 'verified', user: null });
});

test('the activity keeps the points, but not the poll, when the user can no longer see the poll', async () => {
  const [maker, voter, admin] = [await app.signUp(), await app.signUp(), await signUpAdmin(app)];
  const pollIds: string[] = [];
  for (const question of ['Deleted?', 'Removed?', 'Hidden?', 'Reported?', 'Kept?']) {
    const poll = await openPoll(app, maker, { question });
    await postVote(voter, poll.id, 2);
    pollIds.push(poll.id);
  }
  const [deleted = '', removed = '', hidden = '', reported = ''] = pollIds;
  await admin.delete(`/api/admin/polls/${deleted}`);
  await postReport(await app.signUp(), removed);
  await decide(admin, removed, 'remove');
  // As after enough reports of other users.
  await db.sql`update polls set hidden_at = now(), active_before = active, active = false where id = ${hidden}`;
  await postReport(voter, reported);
  const questionsOf = async (viewer: TestUser) =>
    (await activity(viewer)).data.map(({ poll }) => poll?.question ?? null);
  expect(await questionsOf(voter)).toEqual(['Kept?', null, null, null, null, null]);
  await putBlock(voter, maker.user.username);
  expect(await questionsOf(voter)).toEqual([null, null, null, null, null, null]);
  expect(await questionsOf(maker)).toEqual(expect.arrayContaining(['Hidden?', 'Reported?', 'Kept?']));
});

test('a page continues where the previous page ended, even if points were earned in between', async () => {
  const [maker, voter] = [await app.signUp(), await app.signUp()];
  for (let index = 0; index < 5; index += 1) await postVote(voter, (await openPoll(app, maker)).id, 1);
  const firstPage = await activity(voter, '?limit=2');
  await postVote(voter, (await openPoll(app, maker)).id, 1);
  const secondPage = await activity(voter, `?limit=2&cursor=${firstPage.nextCursor}`);
  const lastPage = await activity(voter, `?limit=2&cursor=${secondPage.nextCursor}`);
  expect([firstPage, secondPage, lastPage].flatMap(({ data }) => data.map(({ balance }) => balance))).toEqual(
    [15, 14, 13, 12, 11, 10],
  );
  expect(lastPage.nextCursor).toBeNull();
  expect((await voter.get('/api/activity?cursor=x')).status).toBe(400);
});

test('a page is read from an index, without sorting the ledger', async () => {
  const { user } = await app.signUp();
  await db.sql`
    insert into users (username, email, password_hash, referral_code)
    select 'many' || no, 'many' || no || '@example.org', 'none', 'MANY' || no from generate_series(1, 10) no`;
  await db.sql`
    insert into point_entries (user_id, delta, reason, source)
    select id, 1, 'vote', 'vote:' || no from generate_series(1, 1500) no, users order by no, id`;
  await db.sql`analyze point_entries`;
  // A later page with 30 entries: `beforeId` is beyond all ids, and one more entry shows whether another page follows.
  const query = listEntries(db, { id: user.id, isAdmin: false }, 4_000_000, 31);
  expect(await planOf(db, query)).toMatch(/Limit.*\n *-> +Index Scan Backward using point_entries_user on/);
});
