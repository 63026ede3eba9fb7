import { randomUUID } from 'node:crypto';
import { makeImage } from '#api/testing/poll-factory.ts';
import { countResponses, creationOf, outcomeOf, type TestUser, voteOf } from './changes.ts';
import { hardTest } from './hard-test.ts';
import { insertPolls, insertUsers } from './seed-data.ts';
import type { Stage } from './stage.ts';

const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));

/** Inserts users, and polls to vote on. */
function prepare(
  stage: Stage,
  counts: { users: number; points?: number; polls?: number; responsesWanted?: number },
) {
  const { users, points = 0, polls = 0, responsesWanted } = counts;
  return stage.inspect(async (db) => ({
    users: await insertUsers(db, users, points),
    polls: await insertPolls(db, polls, responsesWanted),
  }));
}

/** Counts the effects of a user's changes in the database. The server must have been stopped. */
function countEffects(stage: Stage, { userId }: TestUser) {
  return stage.inspect(async (db) => {
    const [row] = await db.sql<[{ points: number; polls: number; debits: number; votes: number }]>`
      select points, (select count(*)::int from polls where user_id = ${userId}) as polls,
        (select count(*)::int from point_entries where user_id = ${userId} and reason = 'poll') as debits,
        (select count(*)::int from votes where user_id = ${userId}) as votes
      from users where id = ${userId}`;
    return { ...row };
  });
}

hardTest(
  { number: 1, name: 'identical concurrent votes', load: '500 votes, half of them with the same key' },
  async (stage, { checkEqual }) => {
    const { users, polls } = await prepare(stage, { users: 1, polls: 1 });
    const [voter] = users;
    const [poll = ''] = polls;
    if (voter === undefined) throw new Error('no voter');
    await stage.start();
    const key = randomUUID();
    const votes = times(500, (index) => voteOf(voter, poll, 1, index % 2 === 0 ? key : randomUUID()));
    const counts = countResponses(await Promise.all(votes.map((vote) => stage.send(vote))));
    checkEqual('responses', counts, { 200: 500 });
    await stage.stop();
    const effects = await countEffects(stage, voter);
    checkEqual('effects', effects, { points: 1, polls: 0, debits: 0, votes: 1 });
  },
);

hardTest(
  {
    number: 2,
    name: 'more polls than the balance pays for',
    load: '1,000 concurrent polls for 10 points each, balance 100',
  },
  async (stage, { checkEqual, record }) => {
    const { users } = await prepare(stage, { users: 1, points: 100 });
    const [maker] = users;
    if (maker === undefined) throw new Error('no maker');
    await stage.start();
    const creations = await Promise.all(times(1_000, () => creationOf(maker)));
    let retried = 0;
    const responses = await Promise.all(
      creations.map(async (creation) => {
        const firstResponse = await stage.send(creation);
        if (firstResponse !== null && firstResponse.status !== 503) return firstResponse;
        retried += 1;
        return stage.sendWithRetries(creation);
      }),
    );
    record(`${retried} retried after 503 or a lost connection`);
    const counts = countResponses(responses);
    checkEqual('responses', counts, { 201: 10, insufficient_points: 990 });
    await stage.stop();
    const effects = await countEffects(stage, maker);
    checkEqual('effects', effects, { points: 0, polls: 10, debits: 10, votes: 0 });
  },
);

hardTest(
  { number: 3, name: 'race for the last vote', load: '20 times 50 concurrent voters' },
  async (stage, { checkEqual }) => {
    const { users, polls } = await prepare(stage, { users: 59, polls: 20, responsesWanted: 10 });
    const [firstVoters, voters] = [users.slice(0, 9), users.slice(9)];
    await stage.start();
    for (const poll of polls) {
      // One response is missing after these votes.
      await Promise.all(firstVoters.map((voter) => stage.send(voteOf(voter, poll, 1))));
      const counts = countResponses(
        await Promise.all(voters.map((voter) => stage.send(voteOf(voter, poll, 2)))),
      );
      checkEqual('responses', counts, { 200: 1, poll_closed: 49 });
    }
  },
);

hardTest(
  { number: 4, name: 'polls with the same key', load: '10 times 100 concurrent creations' },
  async (stage, { check, checkEqual }) => {
    const { users: makers } = await prepare(stage, { users: 10, points: 100 });
    await stage.start();
    for (const maker of makers) {
      const creation = await creationOf(maker);
      const responses = await Promise.all(times(100, () => stage.sendWithRetries(creation)));
      const counts = countResponses(responses);
      checkEqual('responses', counts, { 201: 100 });
      const texts = new Set(responses.map(({ text }) => text));
      check(texts.size === 1, `the responses differ: ${[...texts].join()}`);
    }
    await stage.stop();
    for (const maker of makers) {
      const effects = await countEffects(stage, maker);
      checkEqual('effects', effects, { points: 90, polls: 1, debits: 1, votes: 0 });
    }
  },
);

hardTest(
  {
    number: 5,
    name: 'same key, different image',
    load: '10 times 2 concurrent creations with different images, then 50 more of each',
  },
  async (stage, { checkEqual }) => {
    const { users: makers } = await prepare(stage, { users: 10, points: 100 });
    const images = await Promise.all(['#0c0', '#cc0'].map(makeImage));
    await stage.start();
    for (const maker of makers) {
      const key = randomUUID();
      const creations = await Promise.all(
        images.map((option1Image) => creationOf(maker, { option1Image }, key)),
      );
      // Concurrent: either of the two may succeed.
      const outcomes = await Promise.all(
        creations.map(async (creation) => outcomeOf(await stage.sendWithRetries(creation))),
      );
      checkEqual('the first responses', outcomes.toSorted(), ['201', 'key_reused']);
      const repeatedCounts = await Promise.all(
        creations.map(async (creation) =>
          countResponses(await Promise.all(times(50, () => stage.sendWithRetries(creation)))),
        ),
      );
      const expected = outcomes.map((outcome) => ({ [outcome]: 50 }));
      checkEqual('the repeated responses', repeatedCounts, expected);
    }
    await stage.stop();
    for (const maker of makers) {
      const effects = await countEffects(stage, maker);
      checkEqual('effects', effects, { points: 90, polls: 1, debits: 1, votes: 0 });
    }
  },
);
