import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openPoll, pointsOf, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { keyHeader, statusAndCode } from '#api/testing/test-client.ts';
import type { MutationResponse } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });

async function stateOf(pollId: string) {
  const [poll] = await db.sql<[{ votes: number; rows: number; rev: number }]>`
    select votes1 + votes2 as votes, rev, (select count(*)::int from votes where poll_id = polls.id) as rows
    from polls where id = ${pollId}`;
  expect(poll.votes).toBe(poll.rows);
  return poll;
}

describe('a vote', () => {
  test('counts, shows the results and earns a point', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    const key = randomUUID();
    const response = await postVote(voter, poll.id, 2, key);
    expect(response.status).toBe(200);
    expect(response.headers.get('Idempotency-Key')).toBe(key);
    const body: MutationResponse = await response.json();
    expect(body.poll).toMatchObject({
      id: poll.id,
      user: { username: 'maker' },
      votes: [{ option: 2 }],
      results: { option1: 0, option2: 1 },
      votesCount: 1,
      isMine: false,
      rev: poll.rev + 1,
    });
    expect(body.user).toEqual({ ...voter.user, points: 11, rev: voter.user.rev + 1 });
    expect(await (await voter.get('/api/user')).json()).toEqual(body.user);
    const entries =
      await db.sql`select delta, source from point_entries where user_id = ${voter.user.id} and reason = 'vote'`;
    expect([...entries]).toEqual([{ delta: 1, source: `vote:${poll.id}` }]);
  });

  test('is idempotent with its key, another key or none', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    const key = randomUUID();
    const firstBody = await (await postVote(voter, poll.id, 1, key)).json();
    for (const repeatedKey of [key, randomUUID(), undefined]) {
      const response = await postVote(voter, poll.id, 1, repeatedKey);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(firstBody);
    }
    expect(await stateOf(poll.id)).toMatchObject({ votes: 1, rev: 2 });
    expect(await pointsOf(voter)).toBe(11);
  });

  test('repeated after its poll was deleted succeeds without a poll', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    const key = randomUUID();
    await postVote(voter, poll.id, 1, key);
    await db.sql`delete from polls where id = ${poll.id}`;
    const response = await postVote(voter, poll.id, 1, key);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ poll: null, user: { points: 11 } });
  });

  test('that completes the poll returns it as completed', async () => {
    const poll = await openPoll(app, maker);
    const voters = await Promise.all(Array.from({ length: 10 }, () => app.signUp()));
    const statuses: string[] = [];
    for (const voter of voters) statuses.push((await (await postVote(voter, poll.id, 1)).json()).poll.status);
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 'active'), 'completed']);
  });
});

describe('a vote is refused', () => {
  test('for another option after a vote', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    await postVote(voter, poll.id, 1);
    expect(await statusAndCode(await postVote(voter, poll.id, 2))).toEqual([409, 'already_voted']);
    expect(await stateOf(poll.id)).toMatchObject({ votes: 1 });
  });

  test('on the user’s own poll', async () => {
    const poll = await openPoll(app, maker);
    expect(await statusAndCode(await postVote(maker, poll.id, 1))).toEqual([403, 'own_poll']);
  });

  test.each([
    ['expired', "closes_at = now() - interval '1 second'", /expired/],
    ['inactive', 'active = false', /inactive/],
    ['completed', 'votes1 = responses_wanted', /all the votes/],
  ])('on a poll that is %s', async (_status, change, messagePattern) => {
    const poll = await openPoll(app, maker);
    await db.sql.unsafe(`update polls set ${change} where id = '${poll.id}'`);
    const response = await postVote(await app.signUp(), poll.id, 1);
    const { code, message } = await response.json();
    expect([response.status, code]).toEqual([409, 'poll_closed']);
    expect(message).toMatch(messagePattern);
  });

  test('without a poll, an option, a session, the expected user or a valid key', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    expect(await statusAndCode(await postVote(voter, randomUUID(), 1))).toEqual([404, 'not_found']);
    expect(await statusAndCode(await postVote(voter, 'no-id', 1))).toEqual([404, 'not_found']);
    for (const option of [0, 3, '1', null]) {
      expect(await statusAndCode(await postVote(voter, poll.id, option))).toEqual([400, 'invalid_input']);
    }
    const path = `/api/questions/${poll.id}/vote`;
    const key = randomUUID();
    const visitorResponse = await app.visitor().post(path, { option: 1 }, keyHeader(key));
    expect(await statusAndCode(visitorResponse)).toEqual([401, 'unauthenticated']);
    expect(visitorResponse.headers.get('Idempotency-Key')).toBe(key);
    const expectingOtherUser = { ...keyHeader(key), 'X-Expected-User': String(voter.user.id + 1) };
    expect(await statusAndCode(await voter.post(path, { option: 1 }, expectingOtherUser))).toEqual([
      409,
      'actor_mismatch',
    ]);
    expect(await statusAndCode(await postVote(voter, poll.id, 1, 'no-uuid'))).toEqual([400, 'invalid_key']);
    expect(await stateOf(poll.id)).toMatchObject({ votes: 0, rev: 1 });

    const expectingVoter = { ...keyHeader(key), 'X-Expected-User': String(voter.user.id) };
    expect((await voter.post(path, { option: 1 }, expectingVoter)).status).toBe(200);
  });

  test('permanently: its key gets the same response even when the reason no longer applies', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    const key = randomUUID();
    await db.sql`update polls set active = false where id = ${poll.id}`;
    expect(await statusAndCode(await postVote(voter, poll.id, 1, key))).toEqual([409, 'poll_closed']);
    await db.sql`update polls set active = true where id = ${poll.id}`;
    expect(await statusAndCode(await postVote(voter, poll.id, 1, key))).toEqual([409, 'poll_closed']);
    expect((await postVote(voter, poll.id, 1)).status).toBe(200);
  });

  test('when its key belongs to another vote', async () => {
    const [firstPoll, secondPoll] = [await openPoll(app, maker), await openPoll(app, maker)];
    const voter = await app.signUp();
    const key = randomUUID();
    await postVote(voter, firstPoll.id, 1, key);
    expect(await statusAndCode(await postVote(voter, firstPoll.id, 2, key))).toEqual([422, 'key_reused']);
    expect(await statusAndCode(await postVote(voter, secondPoll.id, 1, key))).toEqual([422, 'key_reused']);
    expect((await postVote(await app.signUp(), secondPoll.id, 1, key)).status).toBe(200);
  });
});
