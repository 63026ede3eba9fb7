import { randomUUID } from 'node:crypto';
import { makeImage } from '#api/testing/poll-factory.ts';
import { countAnswers, creationOf, type Person, voteOf } from './changes.ts';
import { hardTest } from './hard-test.ts';
import { insertPeople, insertPolls } from './people.ts';
import type { Stage } from './stage.ts';

const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, nth) => make(nth));

/** Accounts, and polls to vote on. */
function prepare(
  stage: Stage,
  wanted: { people: number; points?: number; polls?: number; responsesWanted?: number },
) {
  const { people, points = 0, polls = 0, responsesWanted } = wanted;
  return stage.inspect(async (db) => ({
    people: await insertPeople(db, people, points),
    polls: await insertPolls(db, polls, responsesWanted),
  }));
}

/** What a user's changes have left; after the server has ended. */
function tracesOf(stage: Stage, { userId }: Person) {
  return stage.inspect(async (db) => {
    const [row] = await db.sql<[{ points: number; polls: number; debits: number; votes: number }]>`
      select points, (select count(*)::int from polls where user_id = ${userId}) as polls,
        (select count(*)::int from point_entries where user_id = ${userId} and reason = 'poll') as debits,
        (select count(*)::int from votes where user_id = ${userId}) as votes
      from users where id = ${userId}`;
    return row;
  });
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

hardTest(1, 'identical votes at once', '500 votes, half of them under one key', async (stage, { check }) => {
  const { people, polls } = await prepare(stage, { people: 1, polls: 1 });
  const [voter] = people;
  const [poll = ''] = polls;
  if (voter === undefined) throw new Error('no voter');
  await stage.start();
  const key = randomUUID();
  const votes = times(500, (nth) => voteOf(voter, poll, 1, nth % 2 === 0 ? key : randomUUID()));
  const counts = countAnswers(await Promise.all(votes.map((vote) => stage.send(vote))));
  check(same(counts, { 200: 500 }), `answers: ${JSON.stringify(counts)}`);
  await stage.stop();
  const traces = await tracesOf(stage, voter);
  check(same(traces, { points: 1, polls: 0, debits: 0, votes: 1 }), `left: ${JSON.stringify(traces)}`);
});

hardTest(
  2,
  'polls beyond the balance',
  '1,000 polls for 10 points each at once, 100 points',
  async (stage, { check, note }) => {
    const { people } = await prepare(stage, { people: 1, points: 100 });
    const [maker] = people;
    if (maker === undefined) throw new Error('no maker');
    await stage.start();
    const creations = await Promise.all(times(1_000, () => creationOf(maker)));
    let busy = 0;
    const answers = await Promise.all(
      creations.map(async (creation) => {
        const first = await stage.send(creation);
        if (first !== null && first.status !== 503) return first;
        busy += 1;
        return stage.sendUntilAnswered(creation);
      }),
    );
    note(`${busy} sent again, as they were told`);
    const counts = countAnswers(answers);
    check(same(counts, { 201: 10, insufficient_points: 990 }), `answers: ${JSON.stringify(counts)}`);
    await stage.stop();
    const traces = await tracesOf(stage, maker);
    check(same(traces, { points: 0, polls: 10, debits: 10, votes: 0 }), `left: ${JSON.stringify(traces)}`);
  },
);

hardTest(3, 'voters for the last place', '20 times 50 voters at once', async (stage, { check }) => {
  const { people, polls } = await prepare(stage, { people: 59, polls: 20, responsesWanted: 10 });
  const [early, voters] = [people.slice(0, 9), people.slice(9)];
  await stage.start();
  for (const poll of polls) {
    await Promise.all(early.map((voter) => stage.send(voteOf(voter, poll, 1))));
    const counts = countAnswers(await Promise.all(voters.map((voter) => stage.send(voteOf(voter, poll, 2)))));
    check(same(counts, { 200: 1, poll_closed: 49 }), `answers: ${JSON.stringify(counts)}`);
  }
});

hardTest(4, 'polls with one key', '10 times 100 creations at once', async (stage, { check }) => {
  const { people: makers } = await prepare(stage, { people: 10, points: 100 });
  await stage.start();
  for (const maker of makers) {
    const creation = await creationOf(maker);
    const answers = await Promise.all(times(100, () => stage.sendUntilAnswered(creation)));
    const counts = countAnswers(answers);
    check(same(counts, { 201: 100 }), `answers: ${JSON.stringify(counts)}`);
    const told = new Set(
      answers.map(({ text }) => JSON.stringify([JSON.parse(text).poll?.id, JSON.parse(text).user?.points])),
    );
    check(told.size === 1, `the answers differ: ${[...told].join()}`);
  }
  await stage.stop();
  for (const maker of makers) {
    const traces = await tracesOf(stage, maker);
    check(same(traces, { points: 90, polls: 1, debits: 1, votes: 0 }), `left: ${JSON.stringify(traces)}`);
  }
});

hardTest(
  5,
  'one key, another picture',
  '10 times 2 creations with 2 pictures, then 50 more of each at once',
  async (stage, { check }) => {
    const { people: makers } = await prepare(stage, { people: 10, points: 100 });
    const pictures = await Promise.all(['#0c0', '#cc0'].map(makeImage));
    await stage.start();
    for (const maker of makers) {
      const key = randomUUID();
      const both = await Promise.all(
        pictures.map((option1Image) => creationOf(maker, { option1Image }, key)),
      );
      // At once: which of them it is, is open.
      const first = countAnswers(
        await Promise.all(both.map((creation) => stage.sendUntilAnswered(creation))),
      );
      check(same(first, { 201: 1, key_reused: 1 }), `the first answers: ${JSON.stringify(first)}`);
      const again = both.flatMap((creation) => times(50, () => creation));
      const counts = countAnswers(
        await Promise.all(again.map((creation) => stage.sendUntilAnswered(creation))),
      );
      check(same(counts, { 201: 50, key_reused: 50 }), `answers: ${JSON.stringify(counts)}`);
    }
    await stage.stop();
    for (const maker of makers) {
      const traces = await tracesOf(stage, maker);
      check(same(traces, { points: 90, polls: 1, debits: 1, votes: 0 }), `left: ${JSON.stringify(traces)}`);
    }
  },
);
