import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, pointsOf, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db } = app;
const maker = await app.signUp({ username: 'maker' });

async function stateOf(pollId: string) {
  expect(await violatedInvariants(db)).toEqual([]);
  const [poll] = await db.sql<[{ votes: number; rev: number }]>`
    select votes1 + votes2 as votes, rev from polls where id = ${pollId}`;
  return poll;
}

describe('concurrently', () => {
  test('500 identical votes all succeed, and count as one vote with one point', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        postVote(voter, poll.id, 1, index % 2 === 0 ? key : randomUUID()),
      ),
    );
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await stateOf(poll.id)).toMatchObject({ votes: 1, rev: 2 });
    expect(await pointsOf(voter)).toBe(11);
  });

  test('of 50 voters for the last missing response exactly one succeeds', async () => {
    const poll = await openPoll(app, maker);
    for (let count = 1; count < 10; count += 1) await postVote(await app.signUp(), poll.id, 1);
    const voters: TestUser[] = [];
    for (let index = 0; index < 50; index += 1) voters.push(await app.signUp());
    const responses = await Promise.all(voters.map((voter) => postVote(voter, poll.id, 2, randomUUID())));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(await stateOf(poll.id)).toMatchObject({ votes: 10, rev: 11 });
    const points = await Promise.all(voters.map(pointsOf));
    expect(points.filter((count) => count === 11)).toHaveLength(1);
  });

  test('all of 60 voters are counted, and each earns a point', async () => {
    const poll = await openPoll(app, maker, { responsesWanted: '100' });
    const voters: TestUser[] = [];
    for (let index = 0; index < 60; index += 1) voters.push(await app.signUp());
    const responses = await Promise.all(
      voters.map((voter, index) => postVote(voter, poll.id, (index % 2) + 1, randomUUID())),
    );
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await stateOf(poll.id)).toMatchObject({ votes: 60, rev: 61 });
    const { results } = await (await maker.get(`/api/questions/${poll.id}`)).json();
    expect(results).toEqual({ option1: 30, option2: 30 });
    expect(await Promise.all(voters.map(pointsOf))).toEqual(voters.map(() => 11));
  });

  test('votes for both options by one user count as one vote', async () => {
    const poll = await openPoll(app, maker);
    const voter = await app.signUp();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => postVote(voter, poll.id, (index % 2) + 1, randomUUID())),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(20);
    expect(await stateOf(poll.id)).toMatchObject({ votes: 1 });
  });

  test('one key for two polls counts for one of them', async () => {
    const voter = await app.signUp();
    for (let round = 1; round <= 5; round += 1) {
      const polls = [await openPoll(app, maker), await openPoll(app, maker)];
      const key = randomUUID();
      const responses = await Promise.all(polls.map(({ id }) => postVote(voter, id, 1, key)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
      const states = await Promise.all(polls.map(({ id }) => stateOf(id)));
      expect(states.map(({ votes }) => votes).sort()).toEqual([0, 1]);
      expect(await pointsOf(voter)).toBe(10 + round);
    }
  });
});
