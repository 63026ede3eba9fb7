// Imported before Dexie, which looks for IndexedDB only once.
import 'fake-indexeddb/auto';
import { Dexie } from 'dexie';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { User } from '#shared/accounts/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { adoptUser } from '#sync/client/session/server-change.ts';
import { votesUpdate } from '#sync/testing/live-updates-harness.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { putPolls } from './cache.ts';
import {
  findKnownPolls,
  type LiveUpdateBatch,
  needsResults,
  storeLiveUpdates,
} from './store-live-updates.ts';

let db: UserDb;
let userId: number;
let user: User;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
  user = sampleUser({ id: userId });
});

function batch(changes: Partial<LiveUpdateBatch>): LiveUpdateBatch {
  return { votes: new Map(), created: new Set(), removed: new Set(), points: null, ...changes };
}

describe('results have to be fetched', () => {
  const results = { option1: 7, option2: 5 };

  test('if a closed poll has none, since everybody may see them', () => {
    expect(needsResults(samplePoll())).toBe(false);
    expect(needsResults(samplePoll({ status: 'completed' }))).toBe(true);
  });

  test('if they contain fewer votes than the poll has', () => {
    expect(needsResults(samplePoll({ results, votesCount: 12 }))).toBe(false);
    expect(needsResults(samplePoll({ results, votesCount: 13 }))).toBe(true);
  });

  test('if a newer revision has the same number of votes, since a vote may have been changed', async () => {
    await db.polls.put(samplePoll({ results, votesCount: 12, rev: 5 }));
    await storeLiveUpdates(
      db,
      user,
      batch({ votes: new Map([[POLL_ID, votesUpdate({ votesCount: 12, rev: 6 })]]) }),
    );
    const [stored] = await db.polls.toArray();
    expect(stored).toMatchObject({ rev: 6, results });
    expect(stored !== undefined && needsResults(stored)).toBe(true);
    // The results of a fetched poll are current.
    await putPolls(db, [samplePoll({ results: { option1: 6, option2: 6 }, votesCount: 12, rev: 6 })]);
    const [fetched] = await db.polls.toArray();
    expect(fetched !== undefined && needsResults(fetched)).toBe(false);
  });
});

test('live updates are stored even if others in the batch concern unknown or unchanged polls', async () => {
  await db.polls.bulkPut([samplePoll(), samplePoll({ id: OTHER_POLL_ID })]);
  const updates = [
    votesUpdate({ votesCount: 1, rev: 9, id: 'unknown' }),
    votesUpdate({ votesCount: 1, rev: 5, id: OTHER_POLL_ID }),
    votesUpdate({ votesCount: 14, rev: 7 }),
  ];
  const removed = new Set(['unknown', OTHER_POLL_ID]);
  const points = { type: 'user', points: 99, rev: 9 } as const;
  await db.user.clear();
  const byId = new Map(updates.map((update) => [update.id, update]));
  expect(await storeLiveUpdates(db, user, batch({ votes: byId, removed, points }))).toEqual({
    hasNewPoints: false,
    hasLostOwnPoll: false,
  });
  expect(await db.polls.toArray()).toEqual([samplePoll({ votesCount: 14, rev: 7 })]);
  expect(await db.user.count()).toBe(0);
});

test('live updates without changes write nothing to the database', async () => {
  await db.polls.put(samplePoll());
  // Each write makes every tab read its lists again.
  const written: string[] = [];
  const listen = (parts: object) =>
    written.push(...Object.keys(parts).filter((part) => part.includes(db.name)));
  Dexie.on('storagemutated', listen);
  onTestFinished(() => Dexie.on('storagemutated').unsubscribe(listen));
  const votesOf = (rev: number) => new Map([[POLL_ID, votesUpdate({ votesCount: 13, rev })]]);
  const removed = new Set(['unknown']);
  const points = { type: 'user', points: 10, rev: 1 } as const;
  await storeLiveUpdates(db, user, batch({ votes: votesOf(5), removed, points }));
  expect(written).toEqual([]);
  await storeLiveUpdates(db, user, batch({ votes: votesOf(6) }));
  expect(written).not.toEqual([]);
});

test('only a newer revision changes the user’s points', async () => {
  const points = (rev: number) => batch({ points: { type: 'user', points: 10 * rev, rev } });
  expect(await storeLiveUpdates(db, user, points(1))).toMatchObject({ hasNewPoints: false });
  expect(await storeLiveUpdates(db, user, points(3))).toMatchObject({ hasNewPoints: true });
  expect(await storeLiveUpdates(db, user, points(2))).toMatchObject({ hasNewPoints: false });
  expect(await storeLiveUpdates(db, user, batch({}))).toMatchObject({ hasNewPoints: false });
  expect(await db.user.get(userId)).toMatchObject({ points: 30, rev: 1, pointsRev: 3 });
});

test('live updates of a server that another tab has found to be restored are not stored', async () => {
  const formerUser = { ...user, epoch: '0b6a4a0e-36a7-4c2b-8f0e-6b1c1d2e3f40' };
  const restoredUser = { ...user, epoch: '1c7b5b1f-47b8-4d3c-9a1f-7c2d2e3f4a51' };
  await adoptUser(db, formerUser, 0);
  await adoptUser(db, restoredUser, 0);
  await db.polls.bulkPut([samplePoll(), samplePoll({ id: OTHER_POLL_ID })]);
  const updates = batch({
    votes: new Map([[POLL_ID, votesUpdate({ votesCount: 14, rev: 7 })]]),
    removed: new Set([OTHER_POLL_ID]),
    points: { type: 'user', points: 99, rev: 9 },
  });
  expect(await storeLiveUpdates(db, formerUser, updates)).toMatchObject({ hasNewPoints: false });
  expect(await db.polls.toArray()).toEqual([samplePoll(), samplePoll({ id: OTHER_POLL_ID })]);
  expect(await db.user.toArray()).toMatchObject([{ points: 10, rev: 1 }]);
  expect(await storeLiveUpdates(db, restoredUser, updates)).toMatchObject({ hasNewPoints: true });
  expect(await db.polls.toArray()).toEqual([samplePoll({ votesCount: 14, rev: 7 })]);
});

test('findKnownPolls returns polls that are cached or that an op is about', async () => {
  await db.polls.put(samplePoll());
  await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, 0);
  expect(await findKnownPolls(db, [POLL_ID, OTHER_POLL_ID, 'unknown'])).toEqual(
    new Set([POLL_ID, OTHER_POLL_ID]),
  );
});
