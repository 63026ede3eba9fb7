import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import { notifyOfExpiry } from '#api/notifications/expiry.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { kindsOf, notificationsOf } from '#api/testing/notifications.ts';
import { openPoll, pointsOf, postClose, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { Poll } from '#shared/polls/schema.ts';

const ROUNDS = 5;
/** The default of `openPoll`. */
const RESPONSES_WANTED = 10;

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);
const voters: TestUser[] = [];
for (let index = 0; index < RESPONSES_WANTED; index += 1) voters.push(await app.signUp());
/** The ids of polls that tests have deleted. */
const deletedPolls: string[] = [];
let maker: TestUser;
let poll: Poll;

beforeEach(async () => {
  maker = await app.signUp();
});

/** Runs `round` with `ROUNDS` new polls, one after another, and checks the invariants after each. */
async function repeatedly(round: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < ROUNDS; index += 1) {
    poll = await openPoll(app, maker);
    await round(index);
    expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
  }
}

const successes = (responses: readonly Response[]) => responses.filter(({ status }) => status === 200).length;
const refundOf = async (response: Response) => (response.ok ? (await response.json()).refunded : 0);

describe('closing a poll concurrently with', () => {
  test('votes refunds no counted vote, and refuses the others', () =>
    repeatedly(async (round) => {
      const before = await pointsOf(maker);
      const votes = voters
        .slice(0, RESPONSES_WANTED - 1)
        .map((voter) => () => postVote(voter, poll.id, 1, randomUUID()));
      // In each round, the closing is two places later among the votes.
      const calls = votes.toSpliced(round * 2, 0, () => postClose(maker, poll.id, randomUUID()));
      const responses = await Promise.all(calls.map((call) => call()));
      const [closing] = responses.splice(round * 2, 1);
      expect(closing?.status).toBe(200);
      const counted = successes(responses);
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(RESPONSES_WANTED - 1 - counted);
      expect(await pointsOf(maker)).toBe(before + RESPONSES_WANTED - counted);
    }));

  test('the last vote either completes the poll or refunds one point', () =>
    repeatedly(async (round) => {
      for (const voter of voters.slice(1)) await postVote(voter, poll.id, 1);
      const before = await pointsOf(maker);
      const [voter = maker] = voters;
      const calls = [() => postVote(voter, poll.id, 1, randomUUID()), () => postClose(maker, poll.id)];
      const responses = await Promise.all(
        (round % 2 === 0 ? calls : calls.toReversed()).map((call) => call()),
      );
      expect(successes(responses)).toBe(1);
      const isComplete = (await kindsOf(maker))[0] === 'completed';
      expect(await pointsOf(maker)).toBe(before + (isComplete ? 0 : 1));
    }));

  test('closings with other keys, the same key or none refunds once', () =>
    repeatedly(async () => {
      const before = await pointsOf(maker);
      const key = randomUUID();
      const keys = Array.from({ length: 12 }, (_, index) => [key, randomUUID(), undefined][index % 3]);
      const responses = await Promise.all(keys.map((closingKey) => postClose(maker, poll.id, closingKey)));
      // Either one closing with a key of its own or without a key has won, or all four with the same key.
      expect([1, 4]).toContain(successes(responses));
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(12 - successes(responses));
      expect(await pointsOf(maker)).toBe(before + RESPONSES_WANTED);
      const [row] = await db.sql<[{ rev: number }]>`select rev from polls where id = ${poll.id}`;
      expect(row.rev).toBe(poll.rev + 1);
    }));

  test('the closing of another poll under the same key closes one of them', () =>
    repeatedly(async () => {
      const otherPoll = await openPoll(app, maker);
      const key = randomUUID();
      const responses = await Promise.all([poll, otherPoll].map(({ id }) => postClose(maker, id, key)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    }));

  test('its deletion by an administrator refunds before it or not at all', () =>
    repeatedly(async () => {
      const before = await pointsOf(maker);
      deletedPolls.push(poll.id);
      const [closing, deletion] = await Promise.all([
        postClose(maker, poll.id, randomUUID()),
        admin.delete(`/api/admin/polls/${poll.id}`),
      ]);
      expect(deletion.status).toBe(200);
      expect([200, 404]).toContain(closing.status);
      expect(await pointsOf(maker)).toBe(before + (await refundOf(closing)));
    }));

  test('its deactivation by an administrator refunds before it or not at all', () =>
    repeatedly(async () => {
      const before = await pointsOf(maker);
      const [closing] = await Promise.all([
        postClose(maker, poll.id, randomUUID()),
        admin.post(`/api/admin/polls/${poll.id}/deactivate`),
      ]);
      expect([200, 409]).toContain(closing.status);
      expect(await pointsOf(maker)).toBe(before + (await refundOf(closing)));
    }));

  test('its expiry leads to either a notification of the expiry or a refund', () =>
    repeatedly(async (round) => {
      const before = await pointsOf(maker);
      // The poll expires after 0 to 8 ms: before, during or after the closing.
      await db.sql`
        update polls set closes_at = now() + make_interval(secs => ${round / 500}::float8) where id = ${poll.id}`;
      const closing = await postClose(maker, poll.id, randomUUID());
      await db.sql`
        update polls set closes_at = closes_at - interval '1 minute', closed_at = closed_at - interval '1 minute'
        where id = ${poll.id}`;
      await db.sql`update server_state set expiry_noted_until = now() - interval '1 hour'`;
      await notifyOfExpiry(deps);
      const { data } = await notificationsOf(maker);
      const isNotified = data.some(
        (notification) => notification.kind === 'expired' && notification.poll?.id === poll.id,
      );
      expect([closing.status, isNotified]).toEqual(closing.ok ? [200, false] : [409, true]);
      expect(await pointsOf(maker)).toBe(before + (closing.ok ? RESPONSES_WANTED : 0));
    }));

  test.each(['keep', 'remove'])(
    'the deletion of the account (polls: %s) succeeds before it or gets 401',
    (deletionPolls) =>
      repeatedly(async () => {
        await db.sql`
        update users set deletion_due_at = now() - interval '1 hour', deletion_polls = ${deletionPolls} where id = ${maker.user.id}`;
        if (deletionPolls === 'remove') deletedPolls.push(poll.id);
        const [closing] = await Promise.all([
          postClose(maker, poll.id, randomUUID()),
          deleteDueAccounts(deps),
        ]);
        expect([200, 401]).toContain(closing.status);
        maker = await app.signUp();
      }),
  );
});
