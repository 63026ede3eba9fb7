import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, pointsOf, postVote, putVote } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';
import { statusAndCode } from '#api/testing/test-client.ts';
import { VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';
import type { MutationResponse } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });

async function votedPoll(option: 1 | 2 = 1) {
  const voter = await app.signUp();
  const poll = await openPoll(app, maker);
  await postVote(voter, poll.id, option);
  return { voter, poll };
}

describe('a change of a vote', () => {
  test('moves the vote to the other option, without earning points', async () => {
    const { voter, poll } = await votedPoll(1);
    const points = await pointsOf(voter);
    const key = randomUUID();
    const response = await putVote(voter, poll.id, 2, key);
    expect([response.status, response.headers.get('Idempotency-Key')]).toEqual([200, key]);
    const body: MutationResponse = await response.json();
    expect(body.poll).toMatchObject({
      votes: [{ option: 2, changesLeft: VOTE_CHANGES_MAX - 1 }],
      results: { option1: 0, option2: 1 },
      votesCount: 1,
      rev: poll.rev + 2,
    });
    expect(body.user.points).toBe(points);
    expect(await (await voter.get(`/api/questions/${poll.id}`)).json()).toEqual(body.poll);
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('is idempotent with its key, another key or none', async () => {
    const { voter, poll } = await votedPoll(1);
    const key = randomUUID();
    const firstBody = await (await putVote(voter, poll.id, 2, key)).json();
    for (const repeatedKey of [key, randomUUID(), undefined]) {
      const response = await putVote(voter, poll.id, 2, repeatedKey);
      expect([response.status, await response.json()]).toEqual([200, firstBody]);
    }
  });

  test('sent again beyond the limit gets the same response, and a new change gets rate_limited', async () => {
    const { voter, poll } = await votedPoll(1);
    const firstBody = await (await putVote(voter, poll.id, 2)).json();
    const { client, limits } = limitedClient(app, voter);
    await useUp(limits.votes, voter.user.id);
    const repeated = await putVote(client, poll.id, 2);
    expect([repeated.status, await repeated.json()]).toEqual([200, firstBody]);
    expect(await statusAndCode(await putVote(client, poll.id, 1))).toEqual([429, 'rate_limited']);
  });

  test('whose response was lost gets the current poll, even after the next change', async () => {
    const { voter, poll } = await votedPoll(1);
    const key = randomUUID();
    await putVote(voter, poll.id, 2, key);
    await putVote(voter, poll.id, 1);
    const response = await putVote(voter, poll.id, 2, key);
    expect(response.status).toBe(200);
    expect((await response.json()).poll).toMatchObject({ votes: [{ option: 1 }] });
  });

  test('is accepted five times per poll and user, and further changes get change_limit', async () => {
    const { voter, poll } = await votedPoll(1);
    for (let nth = 1; nth <= VOTE_CHANGES_MAX; nth += 1) {
      const response = await putVote(voter, poll.id, nth % 2 === 1 ? 2 : 1);
      const [vote] = (await response.json()).poll.votes;
      expect([response.status, vote.changesLeft]).toEqual([200, VOTE_CHANGES_MAX - nth]);
    }
    const key = randomUUID();
    for (let count = 0; count < 2; count += 1) {
      expect(await statusAndCode(await putVote(voter, poll.id, 1, key))).toEqual([409, 'change_limit']);
    }
    // Changing to the option that is already chosen is no change.
    expect((await putVote(voter, poll.id, 2)).status).toBe(200);
  });

  test('is refused without a vote, on a closed poll and on an unknown poll', async () => {
    const { voter, poll } = await votedPoll(1);
    const userWithoutVote = await app.signUp();
    expect(await statusAndCode(await putVote(userWithoutVote, poll.id, 2, randomUUID()))).toEqual([
      409,
      'not_voted',
    ]);
    expect(await statusAndCode(await putVote(maker, poll.id, 2))).toEqual([409, 'not_voted']);
    expect(await statusAndCode(await putVote(voter, randomUUID(), 2))).toEqual([404, 'not_found']);
    expect(await statusAndCode(await putVote(voter, 'no-uuid', 2))).toEqual([404, 'not_found']);
    expect(await statusAndCode(await putVote(voter, poll.id, 3))).toEqual([400, 'invalid_input']);
    await db.sql`update polls set closes_at = now() where id = ${poll.id}`;
    expect(await statusAndCode(await putVote(voter, poll.id, 2))).toEqual([409, 'poll_closed']);
    // Choosing the same option succeeds, and the vote is unchanged.
    expect((await putVote(voter, poll.id, 1)).status).toBe(200);
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test('by a visitor, for another user or for another epoch has no effect', async () => {
    const { voter, poll } = await votedPoll(1);
    expect((await app.visitor().request(`/api/questions/${poll.id}/vote`, { method: 'PUT' })).status).toBe(
      401,
    );
    for (const headers of [{ 'X-Expected-User': '1' }, { 'X-Expected-Epoch': randomUUID() }]) {
      const init = { method: 'PUT', body: '{"option":2}', headers };
      expect(await statusAndCode(await voter.request(`/api/questions/${poll.id}/vote`, init))).toEqual([
        409,
        'actor_mismatch',
      ]);
    }
    expect(await (await voter.get(`/api/questions/${poll.id}`)).json()).toMatchObject({
      votes: [{ option: 1 }],
    });
  });

  test('with the key of a vote or of another change gets key_reused', async () => {
    const voter = await app.signUp();
    const poll = await openPoll(app, maker);
    const [voteKey, key] = [randomUUID(), randomUUID()];
    await postVote(voter, poll.id, 1, voteKey);
    expect(await statusAndCode(await putVote(voter, poll.id, 2, voteKey))).toEqual([422, 'key_reused']);
    await putVote(voter, poll.id, 2, key);
    expect(await statusAndCode(await putVote(voter, poll.id, 1, key))).toEqual([422, 'key_reused']);
  });
});

test('of ten concurrent changes of one vote, each sent twice, at most five count, and both responses agree', async () => {
  const { voter, poll } = await votedPoll(1);
  const changes = Array.from({ length: 10 }, (_, index) => ({ key: randomUUID(), option: (index % 2) + 1 }));
  async function sendUntilSettled({ key, option }: (typeof changes)[number]) {
    for (;;) {
      const outcome = await statusAndCode(await putVote(voter, poll.id, option, key));
      if (outcome[1] !== 'in_flight') return outcome;
    }
  }
  const outcomes = await Promise.all([...changes, ...changes].map(sendUntilSettled));
  expect(outcomes.slice(10)).toEqual(outcomes.slice(0, 10));
  const refusals = outcomes.filter(([status]) => status !== 200);
  expect(refusals).toEqual(refusals.map(() => [409, 'change_limit']));
  const [{ changes: counted }] = await db.sql<[{ changes: number }]>`
    select changes from votes where poll_id = ${poll.id} and user_id = ${voter.user.id}`;
  expect(counted).toBeGreaterThan(0);
  expect(counted).toBeLessThanOrEqual(VOTE_CHANGES_MAX);
  if (refusals.length > 0) expect(counted).toBe(VOTE_CHANGES_MAX);
  expect(await violatedInvariants(db)).toEqual([]);
});

test('concurrent changes by many voters keep the tallies correct', async () => {
  const poll = await openPoll(app, maker);
  const voters = await Promise.all(Array.from({ length: 8 }, () => app.signUp()));
  await Promise.all(voters.map((voter) => postVote(voter, poll.id, 1)));
  await Promise.all(voters.map((voter) => putVote(voter, poll.id, 2, randomUUID())));
  const [row] = await db.sql`select votes1, votes2 from polls where id = ${poll.id}`;
  expect(row).toEqual({ votes1: 0, votes2: 8 });
  expect(await violatedInvariants(db)).toEqual([]);
});
