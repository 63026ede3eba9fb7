import { beforeEach, describe, expect, test, vi } from 'vitest';
import { queueOp, queuePoll } from '#sync/client/outbox/outbox.ts';
import type { Op } from '#sync/operations/registry.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';
import type { Drain } from './drain-context.ts';
import { settle } from './settle.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const OWNER = 'tab-1:drain';

function drainOf(changes: Partial<Drain> = {}): Drain {
  const { transport } = scriptedTransport(noResponse);
  return { ...device.context(transport), owner: OWNER, lane: 'votes', ...changes };
}

/** The ops of the queue, leased to this drain. */
async function leaseAll(): Promise<Op[]> {
  const leaseUntil = device.clock.now() + 30_000;
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: OWNER, leaseUntil });
  return device.db.ops.toArray();
}

async function leasedVote(): Promise<Op> {
  await device.voteOn(POLL_ID);
  const [op] = await leaseAll();
  if (op === undefined) throw new Error('no op');
  return op;
}

const refusal = (code: 'not_found' | 'poll_closed') =>
  ({ kind: 'rejected', error: { status: 404, code, message: '' } }) as const;
/** No response within seconds, as without a network: not a failed upload. */
const noResponseOutcome = {
  kind: 'retry',
  scope: 'lane',
  retryAfterMs: null,
  error: null,
  isFailedUpload: false,
} as const;

describe('a refusal', () => {
  test('is reported once even if two tabs have received it', async () => {
    const op = await leasedVote();
    await settle(drainOf(), [{ op, outcome: refusal('poll_closed') }]);
    await settle(drainOf(), [{ op, outcome: refusal('poll_closed') }]);
    expect(device.events).toMatchObject([{ type: 'rejected', error: { code: 'poll_closed' } }]);
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'rejected', leaseOwner: null }]);
  });

  test('of an op that no longer exists is not reported', async () => {
    const op = await leasedVote();
    await device.db.ops.clear();
    await settle(drainOf(), [{ op, outcome: refusal('poll_closed') }]);
    expect(device.events).toEqual([]);
  });

  test('of an op that no longer exists keeps the waiting changes of a later vote', async () => {
    const op = await leasedVote();
    await device.db.ops.clear();
    await device.voteOn(POLL_ID);
    await leaseAll();
    await queueOp(
      device.db,
      device.userId,
      { type: 'changeVote', payload: { pollId: POLL_ID, option: 2 } },
      0,
    );
    await settle(drainOf(), [{ op, outcome: refusal('poll_closed') }]);
    expect(await device.db.ops.toArray()).toMatchObject([{ type: 'vote' }, { type: 'changeVote' }]);
  });

  test('of a repeated op does not remove another op that got the same `seq` after an eviction', async () => {
    const op = { ...(await leasedVote()), isRepeated: true };
    await device.db.ops.clear();
    await device.db.ops.add({ ...op, opId: 'later-op' });
    await settle(drainOf(), [{ op, outcome: refusal('poll_closed') }]);
    expect(await device.db.ops.toArray()).toMatchObject([{ seq: op.seq, opId: 'later-op' }]);
  });

  test.each([
    ['of a vote on a missing poll removes the poll from the cache', 'not_found', 0],
    ['of a vote on a closed poll keeps the poll in the cache', 'poll_closed', 1],
  ] as const)('%s', async (_case, code, polls) => {
    const op = await leasedVote();
    await device.db.polls.put(samplePoll());
    await device.db.feed.put({ pollId: POLL_ID, position: 0 });
    await settle(drainOf(), [{ op, outcome: refusal(code) }]);
    expect([await device.db.polls.count(), await device.db.feed.count()]).toEqual([polls, polls]);
  });

  test('of a new poll removes no poll from the cache', async () => {
    const pollId = await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    const [op] = await leaseAll();
    if (op === undefined) throw new Error('no op');
    await device.db.polls.put(samplePoll({ id: pollId }));
    await settle(drainOf({ lane: 'creations' }), [{ op, outcome: refusal('not_found') }]);
    expect(await device.db.polls.count()).toBe(1);
  });
});

describe('an op without a response', () => {
  test('counts one more attempt and waits for half of the back-off window', async () => {
    const op = await leasedVote();
    await settle(drainOf(), [{ op: { ...op, attempts: 3 }, outcome: noResponseOutcome }]);
    const [row] = await device.db.ops.toArray();
    expect(row).toMatchObject({ state: 'queued', attempts: 4, leaseOwner: null, lastError: null });
    // Half of eight seconds, the window after four attempts.
    expect((row?.nextAttemptAt ?? 0) - device.clock.now()).toBe(4_000);
    expect(device.events).toEqual([]);
  });

  test('waits for as long as the failures of its lane require, if that is longer than its own attempts require', async () => {
    const op = await leasedVote();
    const none = { failures: 0, lastFailedSeq: 0, notBeforeMs: 0, authFailures: 0 };
    const backoff = { votes: { ...none, failures: 5 }, creations: none };
    await settle(drainOf({ backoff }), [{ op, outcome: noResponseOutcome }]);
    const [row] = await device.db.ops.toArray();
    expect((row?.nextAttemptAt ?? 0) - device.clock.now()).toBe(8_000);
    expect(device.events).toMatchObject([{ type: 'delayed' }]);
  });

  test('counts as a failed upload only if it is a poll', async () => {
    await device.voteOn(POLL_ID);
    await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    const outcome = { ...noResponseOutcome, isFailedUpload: true };
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      for (const op of await leaseAll()) await settle(drainOf(), [{ op, outcome }]);
    }
    expect((await device.db.ops.toArray()).map(({ failedUploads }) => failedUploads)).toEqual([0, 2]);
  });

  test('does not count as a failed upload if its outcome does not say so', async () => {
    await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    for (const op of await leaseAll()) await settle(drainOf(), [{ op, outcome: noResponseOutcome }]);
    expect(await device.db.ops.toArray()).toMatchObject([{ failedUploads: 0 }]);
  });
});

test('a poll whose upload keeps failing waits for the Retry-After if that is longer than its own pause', async () => {
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  const [op] = await leaseAll();
  if (op === undefined) throw new Error('no op');
  const outcome = { ...noResponseOutcome, retryAfterMs: 60_000 };
  // The own pause is 30 s.
  await settle(drainOf({ lane: 'creations' }), [{ op: { ...op, failedUploads: 5 }, outcome }]);
  const [row] = await device.db.ops.toArray();
  expect((row?.nextAttemptAt ?? 0) - device.clock.now()).toBe(60_000);
});

describe('an unknown refusal', () => {
  const error = { status: 403, code: 'unknown', message: 'of a newer server' } as const;

  test('is retried four times with growing pauses, and then needs a decision', async () => {
    const op = await leasedVote();
    const pauses: number[] = [];
    for (let refusals = 0; refusals < 4; refusals += 1) {
      await settle(drainOf(), [
        { op: { ...op, refusals, attempts: refusals }, outcome: { kind: 'unclear', error } },
      ]);
      const [row] = await leaseAll();
      expect(row).toMatchObject({ refusals: refusals + 1, attempts: refusals + 1, lastError: error });
      pauses.push((row?.nextAttemptAt ?? 0) - device.clock.now());
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000]);
    await settle(drainOf(), [
      { op: { ...op, refusals: 4, attempts: 4 }, outcome: { kind: 'unclear', error } },
    ]);
    expect(await device.db.ops.toArray()).toMatchObject([
      { state: 'needs_attention', refusals: 5, attempts: 5, lastError: error, leaseOwner: null },
    ]);
    expect(device.events).toEqual([]);
  });

  test('of a call that the server does not have is retried after at least 30 s', async () => {
    const op = await leasedVote();
    const endpointError = { status: 404, code: 'unknown_endpoint', message: '' } as const;
    await settle(drainOf(), [{ op, outcome: { kind: 'unclear', error: endpointError } }]);
    const [row] = await device.db.ops.toArray();
    expect((row?.nextAttemptAt ?? 0) - device.clock.now()).toBe(30_000);
  });
});

describe('the end of a session', () => {
  test('is reported once, counts no attempt and also blocks ops that were not sent', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    const sentOps = await leaseAll();
    await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    const onBlocked = vi.fn();
    await settle(
      drainOf({ onBlocked }),
      sentOps.map((op) => ({ op, outcome: { kind: 'blocked_auth' } })),
    );
    expect(onBlocked).toHaveBeenCalledOnce();
    expect(device.events).toEqual([]);
    const blocked = { state: 'blocked_auth', attempts: 0, leaseOwner: null };
    expect(await device.db.ops.toArray()).toMatchObject([blocked, blocked, blocked]);
  });

  test('is reported if any of several responses says so', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    const [firstOp, secondOp] = await leaseAll();
    if (firstOp === undefined || secondOp === undefined) throw new Error('no ops');
    const onBlocked = vi.fn();
    await settle(drainOf({ onBlocked }), [{ op: firstOp, outcome: refusal('poll_closed') }]);
    expect(onBlocked).not.toHaveBeenCalled();
    await settle(drainOf({ onBlocked }), [
      { op: firstOp, outcome: refusal('poll_closed') },
      { op: secondOp, outcome: { kind: 'blocked_auth' } },
    ]);
    expect(onBlocked).toHaveBeenCalledOnce();
  });
});

describe('a created poll', () => {
  const listLengthsAfter = async (poll: Parameters<typeof samplePoll>[0] | null) => {
    const pollId = await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    const user = sampleUser({ id: device.userId, rev: 2 });
    const { transport } = scriptedTransport(
      json(201, { poll: poll === null ? null : samplePoll({ id: pollId, isMine: true, ...poll }), user }),
    );
    await drainLane(device.context(transport), 'creations');
    return Promise.all([device.db.mine.count(), device.db.feed.count(), device.db.polls.count()]);
  };

  test('is added to the own polls and to the feed', async () =>
    expect(await listLengthsAfter({})).toEqual([1, 1, 1]));
  test('is added only to the own polls if it was closed in the meantime', async () =>
    expect(await listLengthsAfter({ active: false, status: 'expired' })).toEqual([1, 0, 1]));
  test('is added to no list if it was removed in the meantime', async () =>
    expect(await listLengthsAfter(null)).toEqual([0, 0, 0]));
});

test('a response to a vote without a poll removes the poll from the cache', async () => {
  for (const [position, pollId] of [POLL_ID, OTHER_POLL_ID].entries()) {
    await device.db.polls.put(samplePoll({ id: pollId }));
    await device.db.feed.put({ pollId, position });
  }
  await device.voteOn(POLL_ID);
  const { transport } = scriptedTransport(
    json(200, { poll: null, user: sampleUser({ id: device.userId, rev: 2 }) }),
  );
  await drainLane(device.context(transport), 'votes');
  for (const table of [device.db.polls, device.db.feed]) {
    expect(await table.toCollection().primaryKeys()).toEqual([OTHER_POLL_ID]);
  }
});

test.each([
  ['first', [3, 2]],
  ['last', [2, 3]],
])('the newest of several responses sets the points if it is the %s', async (_which, revisions) => {
  for (const id of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(id);
  const applied = (await leaseAll()).map((op, index) => {
    const rev = revisions[index] ?? 0;
    const user = sampleUser({ id: device.userId, points: 50 + rev, rev });
    return {
      op,
      outcome: { kind: 'applied', response: { poll: samplePoll(), user }, isNew: false },
    } as const;
  });
  await settle(drainOf(), applied);
  expect(await device.db.user.toArray()).toMatchObject([{ rev: 3, points: 53 }]);
  expect(device.events).toMatchObject([{ type: 'applied' }, { type: 'applied' }]);
});

test('a response that another tab has settled is not reported again', async () => {
  const op = await leasedVote();
  const response = { poll: samplePoll(), user: sampleUser({ id: device.userId, rev: 2 }) };
  const applied = { op, outcome: { kind: 'applied', response, isNew: false } } as const;
  await settle(drainOf(), [applied]);
  await settle(drainOf(), [applied]);
  expect(device.events).toHaveLength(1);
});

test('a response of the former server is ignored after a logout', async () => {
  const { db, userId } = device;
  const op = await leasedVote();
  const { createdAt, referralCode } = sampleUser({ id: userId });
  await db.account.put({ id: userId, createdAt, referralCode, epoch: 'present' });
  await db.user.clear();
  const outcome = { kind: 'applied', isNew: true, response: null } as const;
  await settle(drainOf(), [{ op, outcome, epoch: 'former' }]);
  expect(await db.ops.toArray()).toEqual([op]);
  expect(device.events).toEqual([]);
  await settle(drainOf(), [{ op, outcome, epoch: 'present' }]);
  expect(await db.ops.count()).toBe(0);
  expect(device.events).toMatchObject([{ type: 'applied' }]);
});

test('an unexpected database error is thrown', async () => {
  const op = await leasedVote();
  device.db.ops.hook('deleting', () => {
    throw new Error('something else');
  });
  const response = { poll: samplePoll(), user: sampleUser({ id: device.userId, rev: 2 }) };
  const settling = settle(drainOf(), [{ op, outcome: { kind: 'applied', response, isNew: false } }]);
  await expect(settling).rejects.toThrow('something else');
  expect(device.events).toEqual([]);
});

test('an error of the server is stored with the op', async () => {
  await device.voteOn(POLL_ID);
  const { transport } = scriptedTransport(errorResponse('internal'));
  await drainLane(device.context(transport), 'votes');
  expect(await device.db.ops.toArray()).toMatchObject([{ lastError: { code: 'internal', status: 500 } }]);
});
