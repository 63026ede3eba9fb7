import { beforeEach, describe, expect, test } from 'vitest';
import type { UserDb } from '#sync/client/db.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { mergePoll, putPolls, putUser, responseValidity } from './cache.ts';
import { needsResults } from './store-live-updates.ts';

const EPOCH = '0b6a4a0e-36a7-4c2b-8f0e-6b1c1d2e3f40';
const OTHER_EPOCH = '1c7b5b1f-47b8-4d3c-9a1f-7c2d2e3f4a51';

let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

describe('a received poll', () => {
  test('never replaces a newer revision', () => {
    const cached = samplePoll({ rev: 6, votesCount: 13 });
    expect(mergePoll(cached, samplePoll({ rev: 5 }))).toBe(cached);
    expect(mergePoll(cached, samplePoll({ rev: 6, status: 'expired' })).status).toBe('expired');
  });

  test('is stored in its newest revision if a list contains two', async () => {
    const [older, newer] = [samplePoll({ rev: 5 }), samplePoll({ rev: 6, votesCount: 13 })];
    await putPolls(db, [newer, older]);
    expect(await db.polls.get(newer.id)).toMatchObject({ rev: 6, votesCount: 13 });
  });

  test('replaces only an older revision', async () => {
    await putPolls(db, [samplePoll({ rev: 6, votesCount: 13 })]);
    await putPolls(db, [samplePoll({ rev: 5 })]);
    expect(await db.polls.toArray()).toEqual([samplePoll({ rev: 6, votesCount: 13 })]);
    await putPolls(db, [samplePoll({ rev: 7, votesCount: 14 })]);
    expect(await db.polls.toArray()).toEqual([samplePoll({ rev: 7, votesCount: 14 })]);
  });

  test('with another vote changes nothing if its revision is older', () => {
    const cached = samplePoll({ rev: 6, votes: [{ option: 1 }], results: { option1: 7, option2: 6 } });
    const olderPoll = samplePoll({ rev: 5, votes: [{ option: 2 }], results: { option1: 6, option2: 6 } });
    expect(mergePoll(cached, olderPoll)).toBe(cached);
  });

  test('with another vote replaces the cached poll if its revision is newer', () => {
    const cached = samplePoll({ votes: [{ option: 1 }], results: { option1: 7, option2: 6 } });
    const incoming = samplePoll({ rev: 6, votes: [{ option: 2 }], results: { option1: 6, option2: 7 } });
    expect(mergePoll(cached, incoming)).toEqual(incoming);
  });

  test('removes the results if the poll was activated again and the user has not voted', () => {
    const closed = samplePoll({ status: 'inactive', active: false, results: { option1: 7, option2: 6 } });
    expect(mergePoll(closed, samplePoll({ rev: 6 }))).toEqual(samplePoll({ rev: 6 }));
  });

  test('never removes a confirmed vote', () => {
    const cached = samplePoll({ votes: [{ option: 1 }], results: { option1: 7, option2: 6 } });
    expect(mergePoll(cached, samplePoll({ rev: 9 }))).toMatchObject({
      rev: 9,
      votes: [{ option: 1 }],
      results: { option1: 7, option2: 6 },
    });
  });
});

test('a changed vote is stored even if live updates of later votes arrived before the response', () => {
  const vote = (option: 1 | 2, changesLeft: number) => [{ option, changesLeft }];
  const cached = samplePoll({
    rev: 9,
    votes: vote(1, 5),
    results: { option1: 7, option2: 6 },
    votesCount: 13,
  });
  const response = samplePoll({
    rev: 8,
    votes: vote(2, 4),
    results: { option1: 6, option2: 6 },
    votesCount: 12,
  });
  const merged = mergePoll(cached, response);
  expect(merged).toMatchObject({ rev: 9, votes: vote(2, 4), votesCount: 13, areResultsOld: true });
  // The response to an earlier change does not undo the later one.
  expect(mergePoll(merged, samplePoll({ rev: 7, votes: vote(1, 5) }))).toBe(merged);
});

test('results of an older revision are fetched again, even if the number of votes is the same', () => {
  const vote: { option: 1 }[] = [{ option: 1 }];
  const results = { option1: 7, option2: 5 };
  const response = samplePoll({ rev: 11, votes: vote, results, votesCount: 12 });
  const merged = mergePoll(samplePoll({ rev: 12, votesCount: 12 }), response);
  expect(merged).toMatchObject({ rev: 12, votes: vote, results });
  expect(needsResults(merged)).toBe(true);
  const current = samplePoll({ rev: 12, votes: vote, results: { option1: 6, option2: 6 }, votesCount: 12 });
  expect(needsResults(mergePoll(merged, current))).toBe(false);
});

test('an older revision of the user never replaces a newer one', async () => {
  await putUser(db, sampleUser({ id: userId, points: 40, rev: 4 }));
  await putUser(db, sampleUser({ id: userId, points: 10, rev: 3 }));
  expect(await db.user.get(userId)).toMatchObject({ points: 40, rev: 4 });
});

test('the points of referrals are kept if a response does not contain them', async () => {
  await putUser(db, sampleUser({ id: userId, referralPoints: 5 }));
  await putUser(db, sampleUser({ id: userId, points: 12, rev: 2 }));
  expect(await db.user.get(userId)).toMatchObject({ points: 12, referralPoints: 5 });
});

test('a response without a pending email and a deletion removes both, unless the server is older', async () => {
  const deletion = { dueAt: '2026-12-01T00:00:00.000Z', polls: 'keep' } as const;
  const pending = { pendingEmail: 'new@example.org', deletion };
  await putUser(db, { ...sampleUser({ id: userId, rev: 1 }), ...pending, weeklyMail: true });
  const userOfOlderServer = sampleUser({ id: userId, points: 12, rev: 2 });
  await putUser(db, userOfOlderServer);
  expect(await db.user.get(userId)).toEqual({ ...userOfOlderServer, ...pending, weeklyMail: true });
  const userOfCurrentServer = { ...sampleUser({ id: userId, rev: 3 }), weeklyMail: false };
  await putUser(db, userOfCurrentServer);
  expect(await db.user.get(userId)).toEqual(userOfCurrentServer);
});

test('an unchanged user is not written again', async () => {
  const user = sampleUser({ id: userId, referralPoints: 5, rev: 4 });
  await putUser(db, user);
  let writes = 0;
  db.user.hook('updating').subscribe(() => {
    writes += 1;
  });
  await putUser(db, { ...user });
  // Not every response contains the points of referrals.
  await putUser(db, sampleUser({ id: userId, rev: 4 }));
  expect(writes).toBe(0);
  await putUser(db, { ...user, points: user.points + 1, rev: 5 });
  expect(writes).toBe(1);
});

describe('only votes that wait for the verification of the email become due', () => {
  const dueAt = async () => (await db.ops.orderBy('seq').toArray()).map((op) => op.nextAttemptAt);

  beforeEach(async () => {
    for (const [pollId, code] of [
      [POLL_ID, 'vote_limit'] as const,
      [OTHER_POLL_ID, 'rate_limited'] as const,
    ]) {
      await queueVote(db, { userId, pollId, option: 1 }, 0);
      const lastError = { status: 429, code, message: '' };
      await db.ops.where('entityId').equals(pollId).modify({ nextAttemptAt: 5_000, lastError });
    }
  });

  test('when it is verified', async () => {
    await putUser(db, sampleUser({ id: userId, isVerified: false }));
    await putUser(db, sampleUser({ id: userId, isVerified: false, rev: 2 }));
    expect(await dueAt()).toEqual([5_000, 5_000]);
    await putUser(db, sampleUser({ id: userId, isVerified: true, rev: 3 }));
    expect(await dueAt()).toEqual([0, 5_000]);
  });

  test('at the login after a logout, if it was verified in between', async () => {
    await db.user.clear();
    await putUser(db, sampleUser({ id: userId, isVerified: true }));
    expect(await dueAt()).toEqual([0, 5_000]);
  });
});

describe('an older revision of the user', () => {
  const putOlderRevision = async (cachedEpoch: string | undefined, epoch: string | undefined) => {
    await putUser(db, sampleUser({ id: userId, points: 40, rev: 4, epoch: cachedEpoch }));
    await putUser(db, sampleUser({ id: userId, points: 10, rev: 3, epoch }));
    return db.user.get(userId);
  };

  test('sets the epoch on a device that does not know one', async () => {
    expect(await putOlderRevision(undefined, EPOCH)).toMatchObject({ points: 40, rev: 4, epoch: EPOCH });
  });

  test.each([OTHER_EPOCH, undefined])('does not replace the known epoch with %s', async (epoch) => {
    expect(await putOlderRevision(EPOCH, epoch)).toMatchObject({ points: 40, rev: 4, epoch: EPOCH });
  });
});

describe('a response', () => {
  test.each([
    ['is stored if the epoch is the same', EPOCH, EPOCH, 'current'],
    ['is dropped if the epoch has changed since the request', EPOCH, OTHER_EPOCH, 'former_server'],
    ['is stored if the epoch was unknown at the time of the request', undefined, EPOCH, 'current'],
    ['is stored if the epoch is no longer known', EPOCH, undefined, 'current'],
    ['is stored if no epoch is known', undefined, undefined, 'current'],
  ])('%s', async (_when, requestEpoch, knownEpoch, expected) => {
    await db.user.update(userId, { epoch: knownEpoch });
    expect(await responseValidity(db, userId, requestEpoch)).toBe(expected);
  });

  test('is dropped if the user has logged out', async () => {
    await db.user.clear();
    expect(await responseValidity(db, userId, EPOCH)).toBe('logged_out');
  });

  test('of the former server is recognised even if the user has logged out', async () => {
    const { createdAt, referralCode } = sampleUser({ id: userId });
    await db.account.put({ id: userId, createdAt, referralCode, epoch: OTHER_EPOCH });
    await db.user.clear();
    expect(await responseValidity(db, userId, EPOCH)).toBe('former_server');
    expect(await responseValidity(db, userId, OTHER_EPOCH)).toBe('logged_out');
  });
});
