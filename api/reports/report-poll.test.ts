import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, postVote, putVote } from '#api/testing/poll-factory.ts';
import { decide, postReport, reportedPoll, signUpVerified } from '#api/testing/reports.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import { DISMISSED_REPORTS_TO_DISCOUNT, REPORTS_TO_HIDE } from '#shared/reports/constants.ts';
import { hideReported } from './hide-reported.ts';

const app = await createTestApp();
const { db, deps } = app;
const maker = await app.signUp();
const reporter = await signUpVerified(app);
/** A user who has neither made nor reported the polls of `reportedPoll`. */
const bystander = await app.signUp();
/** The ids of polls that tests have deleted. */
const deletedPolls: string[] = [];

/** The status of a response, with its error code or else whether the poll is reported now. */
async function outcomeOf(responding: Promise<Response>): Promise<[number, unknown]> {
  const response = await responding;
  const { code, reported } = await response.json();
  return [response.status, code ?? reported];
}

async function feedIds(viewer: TestClient): Promise<string[]> {
  const page: FeedPage = await (await viewer.get('/api/questions?limit=100&includeCount=true')).json();
  return page.data.map(({ id }) => id);
}

const trendingIds = async (viewer: TestClient) => {
  const polls: Poll[] = await (await viewer.get('/api/trending?limit=20')).json();
  return polls.map(({ id }) => id);
};

const readPoll = async (viewer: TestClient, id: string) => viewer.get(`/api/questions/${id}`);

const reportsOf = async (pollId: string) => [
  ...(await db.sql<{ user_id: number; reason: string; text: string | null }[]>`
    select user_id, reason, text from poll_reports where poll_id = ${pollId} order by id`),
];

describe('a report', () => {
  test('hides the poll only for its reporter: in the feed, its total, trending polls and the detail', async () => {
    const poll = await openPoll(app, maker);
    await postVote(await app.signUp(), poll.id, 1);
    const totalOf = async () =>
      (await (await reporter.get('/api/questions?includeCount=true')).json()).pagination.total;
    const totalBefore = await totalOf();
    expect(await trendingIds(reporter)).toContain(poll.id);
    const text = ' It \u202Eis mine.\u0007 ';
    expect(await outcomeOf(postReport(reporter, poll.id, { reason: 'other', text }))).toEqual([200, true]);
    expect(await feedIds(reporter)).not.toContain(poll.id);
    expect(await trendingIds(reporter)).not.toContain(poll.id);
    expect(await totalOf()).toBe(totalBefore - 1);
    expect((await readPoll(reporter, poll.id)).status).toBe(404);
    const otherUser = await app.signUp();
    expect(await feedIds(otherUser)).toContain(poll.id);
    expect(await trendingIds(otherUser)).toContain(poll.id);
    expect((await readPoll(otherUser, poll.id)).status).toBe(200);
    expect(await reportsOf(poll.id)).toEqual([
      { user_id: reporter.user.id, reason: 'other', text: 'It is mine.' },
    ]);
  });

  test('gets in_flight and is not stored if a receipt conflicts with its own and is deleted before it can be read', async () => {
    const poll = await openPoll(app, maker);
    // The trigger has the effect of such a receipt: the insertion stores no row, and then no receipt is found.
    await db.sql`create function skip_row() returns trigger language plpgsql as 'begin return null; end'`;
    await db.sql`create trigger skip_row before insert on mutation_receipts for each row execute function skip_row()`;
    const outcome = await outcomeOf(postReport(reporter, poll.id, { reason: 'spam' }, randomUUID()));
    await db.sql`drop function skip_row() cascade`;
    expect(outcome).toEqual([409, 'in_flight']);
    expect(await reportsOf(poll.id)).toEqual([]);
  });

  test('is idempotent with any key and reason, even beyond the rate limit', async () => {
    const poll = await openPoll(app, maker);
    const key = randomUUID();
    for (const keyOrNone of [key, key, randomUUID(), undefined]) {
      expect(await outcomeOf(postReport(reporter, poll.id, { reason: 'hate' }, keyOrNone))).toEqual([
        200,
        true,
      ]);
    }
    expect(await outcomeOf(postReport(reporter, poll.id, { reason: 'spam' }))).toEqual([200, true]);
    expect(await outcomeOf(postReport(reporter, poll.id, { reason: 'spam' }, key))).toEqual([200, true]);
    const { client, limits } = limitedClient(app, reporter);
    await useUp(limits.reports, reporter.user.id);
    expect(await outcomeOf(postReport(client, poll.id, { reason: 'hate' }))).toEqual([200, true]);
    expect(await outcomeOf(postReport(client, (await openPoll(app, maker)).id))).toEqual([
      429,
      'rate_limited',
    ]);
    expect(await reportsOf(poll.id)).toEqual([{ user_id: reporter.user.id, reason: 'hate', text: null }]);
  });

  test('is refused for the user’s own poll, a missing poll and a removed poll', async () => {
    const ownPoll = await openPoll(app, maker);
    const key = randomUUID();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await outcomeOf(postReport(maker, ownPoll.id, { reason: 'spam' }, key))).toEqual([
        403,
        'own_poll',
      ]);
    }
    expect(await outcomeOf(postReport(reporter, randomUUID()))).toEqual([404, 'not_found']);
    await postReport(reporter, ownPoll.id);
    await decide(await signUpAdmin(app), ownPoll.id, 'remove');
    expect(await outcomeOf(postReport(await app.signUp(), ownPoll.id))).toEqual([404, 'not_found']);
    const tooLong = { reason: 'other' as const, text: 'x'.repeat(501) };
    expect(await outcomeOf(postReport(reporter, ownPoll.id, tooLong))).toEqual([400, 'invalid_input']);
    expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
  });

  test('of a poll that is deleted concurrently leaves no report without a poll', async () => {
    const admin = await signUpAdmin(app);
    for (let round = 0; round < 5; round += 1) {
      const poll = await openPoll(app, maker);
      deletedPolls.push(poll.id);
      const [reported, deleted] = await Promise.all([
        postReport(reporter, poll.id, { reason: 'spam' }, randomUUID()),
        admin.delete(`/api/admin/polls/${poll.id}`),
      ]);
      expect([200, 404]).toContain(reported.status);
      expect(deleted.status).toBe(200);
      expect(await reportsOf(poll.id)).toEqual([]);
    }
    expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
  });

  test('can be taken back, which shows the poll again, and can be made again later', async () => {
    const poll = await openPoll(app, maker);
    const key = randomUUID();
    await postReport(reporter, poll.id, { reason: 'spam' }, key);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await outcomeOf(reporter.delete(`/api/questions/${poll.id}/report`))).toEqual([200, false]);
    }
    expect(await feedIds(reporter)).toContain(poll.id);
    // A delayed duplicate of the first report does not report the poll again.
    expect(await outcomeOf(postReport(reporter, poll.id, { reason: 'spam' }, key))).toEqual([200, true]);
    expect(await feedIds(reporter)).toContain(poll.id);
    await postReport(reporter, poll.id);
    expect(await feedIds(reporter)).not.toContain(poll.id);
    expect(await outcomeOf(reporter.delete(`/api/questions/${randomUUID()}/report`))).toEqual([200, false]);
  });
});

describe('a poll that five verified users have reported', () => {
  test('is hidden from everyone except its maker and administrators, and accepts no votes', async () => {
    const { maker: pollMaker, poll, reporters } = await reportedPoll(app, REPORTS_TO_HIDE - 1);
    const voter = await app.signUp();
    await postVote(voter, poll.id, 1);
    // Unverified users do not count.
    for (let index = 0; index < 3; index += 1) await postReport(await app.signUp(), poll.id);
    expect((await readPoll(voter, poll.id)).status).toBe(200);
    await postReport(await signUpVerified(app), poll.id);

    const stranger = await app.signUp();
    for (const viewer of [voter, stranger, ...reporters]) {
      expect((await readPoll(viewer, poll.id)).status).toBe(404);
      expect(await feedIds(viewer)).not.toContain(poll.id);
    }
    expect(await outcomeOf(postVote(stranger, poll.id, 1, randomUUID()))).toEqual([404, 'not_found']);
    expect(await outcomeOf(putVote(voter, poll.id, 2))).toEqual([404, 'not_found']);
    const repeatedVote = await postVote(voter, poll.id, 1);
    expect([repeatedVote.status, (await repeatedVote.json()).poll]).toEqual([200, null]);

    for (const viewer of [pollMaker, await signUpAdmin(app)]) {
      expect(await (await readPoll(viewer, poll.id)).json()).toMatchObject({
        hidden: true,
        status: 'inactive',
      });
    }
    expect(await (await pollMaker.get('/api/user/questions')).json()).toMatchObject([
      { id: poll.id, hidden: true },
    ]);
    expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
  });

  test('is hidden even if the last reporter verifies their email later', async () => {
    const { poll, reporters } = await reportedPoll(app, REPORTS_TO_HIDE - 1);
    const lateVerifier = await app.signUp();
    await postReport(lateVerifier, poll.id);
    const publish = vi.spyOn(deps.live, 'publish');
    await hideReported(deps);
    expect((await readPoll(bystander, poll.id)).status).toBe(200);
    await db.sql`update users set is_verified = true where id = ${lateVerifier.user.id}`;
    // The report of a suspended user does not count.
    await db.sql`update users set is_suspended = true where id = ${reporters[0]?.user.id ?? 0}`;
    await hideReported(deps);
    expect((await readPoll(bystander, poll.id)).status).toBe(200);
    await db.sql`update users set is_suspended = false where id = ${reporters[0]?.user.id ?? 0}`;
    await Promise.all([hideReported(deps), hideReported(deps)]);
    expect((await readPoll(bystander, poll.id)).status).toBe(404);
    expect(publish.mock.calls).toEqual([[{ type: 'poll.removed', id: poll.id }]]);
    expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
    publish.mockRestore();
  });

  test('is hidden exactly once when the last reports are concurrent', async () => {
    const { poll } = await reportedPoll(app, REPORTS_TO_HIDE - 2);
    const reporters: TestUser[] = [];
    for (let index = 0; index < 6; index += 1) reporters.push(await signUpVerified(app));
    const responses = await Promise.all(
      reporters.flatMap((reporter) => {
        const key = randomUUID();
        return [1, 2].map(() => postReport(reporter, poll.id, { reason: 'spam' }, key));
      }),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const [row] = await db.sql`select hidden_at is not null as hidden, rev from polls where id = ${poll.id}`;
    expect(row).toEqual({ hidden: true, rev: poll.rev + 1 });
    expect(await reportsOf(poll.id)).toHaveLength(REPORTS_TO_HIDE - 2 + reporters.length);
    expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
  });

  test('is not hidden yet if earlier reports of one of the users were always dismissed', async () => {
    const admin = await signUpAdmin(app);
    const unreliableReporter = await signUpVerified(app);
    for (let index = 0; index < DISMISSED_REPORTS_TO_DISCOUNT; index += 1) {
      const keptPoll = await openPoll(app, maker);
      await postReport(unreliableReporter, keptPoll.id);
      await decide(admin, keptPoll.id, 'keep');
    }
    const { poll } = await reportedPoll(app, REPORTS_TO_HIDE - 1);
    await postReport(unreliableReporter, poll.id);
    expect((await readPoll(bystander, poll.id)).status).toBe(200);
    await postReport(await signUpVerified(app), poll.id);
    expect((await readPoll(bystander, poll.id)).status).toBe(404);
  });
});
