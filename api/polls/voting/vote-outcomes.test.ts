import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { afterStatement } from '#api/testing/database-hooks.ts';
import { openPoll, pointsOf, postVote, putVote } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, type TestUser } from '#api/testing/test-app.ts';
import { statusCodeAndMessage } from '#api/testing/test-client.ts';
import type { Poll } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });
let voter: TestUser;
let poll: Poll;

beforeEach(async () => {
  voter = await app.signUp();
  poll = await openPoll(app, maker);
});

const CLOSED = [409, 'poll_closed', 'This poll is inactive.'];

describe('a vote on an inactive poll that is activated before the server looks up why the vote was refused', () => {
  const setActive = (isActive: boolean) =>
    db.sql`update polls set active = ${isActive} where id = ${poll.id}`;

  /**
   * A client of a server on which the poll is activated between the refusal of a vote and the lookup of its reason, in the first
   * `times` attempts, and deactivated again before each further attempt.
   */
  function racingClient(times: number) {
    const opened = afterStatement(db, 'target as (', () => setActive(true), times);
    return limitedClient(app, voter, {
      db: afterStatement(opened, 'left join "votes"', () => setActive(false), times - 1),
    }).client;
  }

  test('is retried and counts', async () => {
    await setActive(false);
    const response = await postVote(racingClient(1), poll.id, 1, randomUUID());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ poll: { votesCount: 1 }, user: { points: 11 } });
  });

  test('is retried and moves the earlier vote, if it changes a vote', async () => {
    await postVote(voter, poll.id, 1);
    await setActive(false);
    const response = await putVote(racingClient(1), poll.id, 2, randomUUID());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ poll: { votes: [{ option: 2 }] }, user: { points: 11 } });
  });

  test('gets in_flight when the poll keeps changing, and leaves no receipt', async () => {
    for (const key of [randomUUID(), undefined]) {
      await setActive(false);
      const response = await postVote(racingClient(Number.POSITIVE_INFINITY), poll.id, 1, key);
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect((await statusCodeAndMessage(response)).slice(0, 2)).toEqual([409, 'in_flight']);
      expect(await pointsOf(voter)).toBe(10);
      await setActive(true);
    }
    expect((await postVote(voter, poll.id, 1, randomUUID())).status).toBe(200);
  });
});

describe('a refused vote', () => {
  test('on a completed poll has its own message', async () => {
    await db.sql`update polls set votes1 = responses_wanted - 4, votes2 = 4 where id = ${poll.id}`;
    const message = 'This poll already has all the votes it asked for.';
    expect(await statusCodeAndMessage(await postVote(voter, poll.id, 1))).toEqual([
      409,
      'poll_closed',
      message,
    ]);
  });

  test('on a missing poll has its own message', async () => {
    expect(await statusCodeAndMessage(await postVote(voter, randomUUID(), 1))).toEqual([
      404,
      'not_found',
      'This poll is gone.',
    ]);
  });

  test('after a vote for the other option has its own message, in any state of the poll', async () => {
    await postVote(voter, poll.id, 1);
    const expected = [409, 'already_voted', 'You have already voted on this poll.'];
    expect(await statusCodeAndMessage(await postVote(voter, poll.id, 2))).toEqual(expected);
    await db.sql`update polls set active = false where id = ${poll.id}`;
    expect(await statusCodeAndMessage(await postVote(voter, poll.id, 2))).toEqual(expected);
  });

  test('on a closed poll remains refused with its key, even after the poll was reopened or deleted', async () => {
    const key = randomUUID();
    await db.sql`update polls set active = false where id = ${poll.id}`;
    expect(await statusCodeAndMessage(await postVote(voter, poll.id, 1, key))).toEqual(CLOSED);
    await db.sql`update polls set active = true where id = ${poll.id}`;
    const reopened = [409, 'poll_closed', 'This poll was closed.'];
    expect(await statusCodeAndMessage(await postVote(voter, poll.id, 1, key))).toEqual(reopened);
    await db.sql`delete from polls where id = ${poll.id}`;
    const deleted = [409, 'poll_closed', 'This poll is closed.'];
    expect(await statusCodeAndMessage(await postVote(voter, poll.id, 1, key))).toEqual(deleted);
  });
});
