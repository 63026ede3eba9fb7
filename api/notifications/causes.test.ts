import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { kindsOf, notificationsOf } from '#api/testing/notifications.ts';
import { openPoll, postVote, putVote } from '#api/testing/poll-factory.ts';
import { decide, postReport, putBlock } from '#api/testing/reports.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { NOTIFICATIONS_KEPT_DAYS } from '#shared/notifications/constants.ts';
import { DAY_MS } from '#shared/time.ts';
import { notifyOfExpiry, notifyOfMissedExpiry } from './expiry.ts';

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);
const voters: TestUser[] = [];
for (let index = 0; index < 12; index += 1) voters.push(await app.signUp());

const voteAll = (pollId: string, from: number, to: number) =>
  Promise.all(voters.slice(from, to).map((voter) => postVote(voter, pollId, 1)));

describe('votes', () => {
  test('notify the maker of the first vote, of half of them and of the last, each once', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker, { responsesWanted: '11' });
    const kindsAfterVotes: string[][] = [];
    for (const [index, voter] of voters.slice(0, 11).entries()) {
      await postVote(voter, id, 1);
      // Around the thresholds of 1 vote, 6 votes (half, rounded up) and 11 votes.
      if ([0, 1, 4, 5, 6, 9, 10].includes(index)) kindsAfterVotes.push(await kindsOf(maker));
    }
    const [first, half, all] = ['first_vote', 'halfway', 'completed'];
    expect(kindsAfterVotes).toEqual([
      [first],
      [first],
      [first],
      [half, first],
      [half, first],
      [half, first],
      [all, half, first],
    ]);
  });

  test('that come concurrently notify of each threshold that they cross together', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    const responses = await voteAll(id, 0, 12);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(await kindsOf(maker)).toEqual(['completed', 'halfway', 'first_vote']);
  });

  test('that are repeated, changed or refused notify nobody', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    const [voter] = voters;
    if (voter === undefined) throw new Error('no voters');
    // One more would be half of them.
    await voteAll(id, 0, 4);
    const responses = [
      await postVote(voter, id, 1),
      await putVote(voter, id, 2),
      await postVote(maker, id, 1),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect(await kindsOf(maker)).toEqual(['first_vote']);
  });

  test('by a user whom the maker has blocked do not notify of the first vote, but count towards half of the votes', async () => {
    const maker = await app.signUp();
    const [blocked, otherVoter] = [await app.signUp(), await app.signUp()];
    await putBlock(maker, blocked.user.username);
    const { id } = await openPoll(app, maker);
    await postVote(blocked, id, 1);
    // The second vote does not take the place of the first.
    await postVote(otherVoter, id, 1);
    expect(await kindsOf(maker)).toEqual([]);
    await voteAll(id, 2, 5);
    expect(await kindsOf(maker)).toEqual(['halfway']);
  });

  test('on sample polls notify nobody', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    await db.sql`update polls set is_sample = true where id = ${id}`;
    await voteAll(id, 0, 1);
    expect(await kindsOf(maker)).toEqual([]);
  });

  test('that cause a notification send one event to the maker’s devices, other votes none', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    const publish = vi.spyOn(deps.live, 'publish');
    const publishedEvents = () => publish.mock.calls.filter(([{ type }]) => type === 'notifications');
    await voteAll(id, 0, 1);
    expect(publishedEvents()).toEqual([[{ type: 'notifications', userId: maker.user.id }]]);
    await voteAll(id, 1, 4);
    expect(publishedEvents()).toHaveLength(1);
    publish.mockRestore();
  });
});

describe('a poll that has expired', () => {
  const setClosedSecondsAgo = (pollId: string, seconds: number) =>
    db.sql`update polls set closes_at = now() - make_interval(secs => ${seconds}) where id = ${pollId}`;
  /** As if the last round had been an hour ago. */
  const rewindRounds = () => db.sql`update server_state set expiry_noted_until = now() - interval '1 hour'`;

  test('notifies the maker once, even with several processes and rounds', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    await rewindRounds();
    await setClosedSecondsAgo(id, 60);
    await Promise.all([1, 2, 3].map(() => notifyOfExpiry(deps)));
    await rewindRounds();
    await notifyOfExpiry(deps);
    expect(await kindsOf(maker)).toEqual(['expired']);
  });

  test('notifies nobody while its last votes may still be written, and then the maker', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    await rewindRounds();
    // Less than the 15 seconds for which a round waits.
    await setClosedSecondsAgo(id, 5);
    await notifyOfExpiry(deps);
    expect(await kindsOf(maker)).toEqual([]);
    // As if 20 seconds had passed.
    await db.sql`update polls set closes_at = closes_at - interval '20 seconds' where id = ${id}`;
    await db.sql`update server_state set expiry_noted_until = expiry_noted_until - interval '20 seconds'`;
    await notifyOfExpiry(deps);
    expect(await kindsOf(maker)).toEqual(['expired']);
  });

  test('notifies nobody if it was complete, inactive or a sample, or expired before the previous round', async () => {
    const maker = await app.signUp();
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await openPoll(app, maker)).id);
    const [complete = '', inactive = '', sample = '', earlier = ''] = ids;
    await rewindRounds();
    for (const id of ids) await setClosedSecondsAgo(id, 60);
    await db.sql`update polls set votes1 = 10 where id = ${complete}`;
    await db.sql`update polls set active = false where id = ${inactive}`;
    await db.sql`update polls set is_sample = true where id = ${sample}`;
    await setClosedSecondsAgo(earlier, 7_200);
    await notifyOfExpiry(deps);
    expect(await kindsOf(maker)).toEqual([]);
  });

  test('while it was inactive notifies the maker once when it is activated again', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    await rewindRounds();
    await setClosedSecondsAgo(id, 60);
    await db.sql`update polls set active = false where id = ${id}`;
    await notifyOfExpiry(deps);
    expect(await kindsOf(maker)).toEqual([]);
    for (let count = 0; count < 2; count += 1) await admin.post(`/api/admin/polls/${id}/activate`, {});
    expect(await kindsOf(maker)).toEqual(['expired']);
  });

  test('while it was removed notifies the maker when the removal is undone', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    await postReport(await app.signUp(), id, { reason: 'hate' });
    await rewindRounds();
    await decide(admin, id, 'remove');
    await setClosedSecondsAgo(id, 60);
    await notifyOfExpiry(deps);
    await decide(admin, id, 'undo');
    expect(await kindsOf(maker)).toEqual(['expired']);
  });

  test('notifies the maker if a round comes while it is being activated', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    await rewindRounds();
    await setClosedSecondsAgo(id, 60);
    await db.sql`update polls set active = false where id = ${id}`;
    const { round } = await inTransaction(db, async (tx) => {
      await tx.sql`update polls set active = true where id = ${id}`;
      await notifyOfMissedExpiry(tx, id);
      const ending = notifyOfExpiry(deps);
      // On PostgreSQL the round ends before the commit; the embedded database runs it afterwards.
      await Promise.race([ending, sleep(500)]);
      // In an object, as the transaction would otherwise wait for the round.
      return { round: ending };
    });
    await round;
    expect(await kindsOf(maker)).toEqual(['expired']);
  });

  test('notifies nobody when it is activated so late that an earlier notification would have been deleted', async () => {
    const maker = await app.signUp();
    const { id } = await openPoll(app, maker);
    await setClosedSecondsAgo(id, (NOTIFICATIONS_KEPT_DAYS * DAY_MS) / 1_000);
    for (const action of ['deactivate', 'activate']) await admin.post(`/api/admin/polls/${id}/${action}`, {});
    expect(await kindsOf(maker)).toEqual([]);
  });
});

describe('a decision about a reported poll', () => {
  async function createReportedPoll() {
    const [maker, reporter] = [await app.signUp(), await app.signUp()];
    const { id } = await openPoll(app, maker);
    await postReport(reporter, id, { reason: 'hate' });
    return { maker, reporter, id };
  }

  test('to remove it notifies maker and reporters, once, without usernames', async () => {
    const { maker, reporter, id } = await createReportedPoll();
    for (let count = 0; count < 2; count += 1) await decide(admin, id, 'remove');
    expect((await notificationsOf(maker)).data).toMatchObject([
      { kind: 'removed', rule: 'hate', poll: null, user: null, verdict: null },
    ]);
    expect((await notificationsOf(reporter)).data).toMatchObject([
      { kind: 'report_resolved', verdict: 'upheld', poll: null, user: null, rule: null },
    ]);
  });

  test('to keep it notifies only its reporters, and the notification does not show the poll', async () => {
    const { maker, reporter, id } = await createReportedPoll();
    await decide(admin, id, 'keep');
    expect(await kindsOf(maker)).toEqual([]);
    expect((await notificationsOf(reporter)).data).toMatchObject([
      { kind: 'report_resolved', verdict: 'dismissed', poll: null },
    ]);
  });

  test('that is undone removes its own notifications and no others', async () => {
    const { maker, reporter, id } = await createReportedPoll();
    await postVote(await app.signUp(), id, 1);
    await decide(admin, id, 'remove');
    await decide(admin, id, 'undo');
    expect([await kindsOf(maker), await kindsOf(reporter)]).toEqual([['first_vote'], []]);
    await decide(admin, id, 'keep');
    expect(await kindsOf(reporter)).toEqual(['report_resolved']);
  });

  test('leaves a notification only if a concurrent undo does not take effect', async () => {
    const { reporter, id } = await createReportedPoll();
    // The undo arrives while the decision is being made, and takes effect or not.
    await Promise.all([decide(admin, id, 'keep'), sleep(1).then(() => decide(admin, id, 'undo'))]);
    const [report] = await db.sql`select verdict from poll_reports where poll_id = ${id}`;
    expect(await kindsOf(reporter)).toEqual(report?.verdict === null ? [] : ['report_resolved']);
  });
});

test('an administrator who deletes a poll notifies its maker once, but not themselves about their own poll', async () => {
  const maker = await app.signUp();
  const [{ id }, ownPoll] = [await openPoll(app, maker), await openPoll(app, admin)];
  for (let count = 0; count < 2; count += 1) await admin.delete(`/api/admin/polls/${id}`);
  expect((await notificationsOf(maker)).data).toMatchObject([{ kind: 'removed', rule: null, poll: null }]);
  await admin.delete(`/api/admin/polls/${ownPoll.id}`);
  expect(await kindsOf(admin)).toEqual([]);
});

describe('a friend', () => {
  const verify = async ({ user }: TestUser) =>
    app.visitor().get(`/api/verify-email?token=${tokenIn(await mailTo(app, user.email))}`);

  test('causes one notification by joining and one by verifying their email, both with the name', async () => {
    const referrer = await app.signUp();
    const friend = await app.signUp({ referralCode: referrer.user.referralCode });
    expect(await kindsOf(referrer)).toEqual(['referral_joined']);
    for (let count = 0; count < 2; count += 1) await verify(friend);
    const user = { username: friend.user.username };
    expect((await notificationsOf(referrer)).data).toMatchObject([
      { kind: 'referral_verified', user, poll: null },
      { kind: 'referral_joined', user, poll: null },
    ]);
  });

  test('who is blocked after joining causes no notification by verifying their email', async () => {
    const referrer = await app.signUp();
    const friend = await app.signUp({ referralCode: referrer.user.referralCode });
    await putBlock(referrer, friend.user.username);
    await verify(friend);
    expect(await kindsOf(referrer)).toEqual(['referral_joined']);
  });
});
