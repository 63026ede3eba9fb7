import { beforeEach, describe, expect, test } from 'vitest';
import { drainLockName, localLock } from '#sync/client/device/lock.ts';
import { LEASE_MS } from '#sync/client/outbox/lease.ts';
import { queueOp, queuePoll } from '#sync/client/outbox/outbox.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { errorResponse, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';

/** The pause before the next drain of a lane if another tab drains it, or an op waits for another. */
const RECHECK_PAUSE_MS = 500;

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const queueVoteDueIn = async (delayMs: number, pollId: string) => {
  await device.voteOn(pollId);
  const nextAttemptAt = device.clock.now() + delayMs;
  await device.db.ops.where('entityId').equals(pollId).modify({ nextAttemptAt });
};

describe('a lane is drained again', () => {
  const nextDrainMs = (lane: 'votes' | 'creations' = 'votes') =>
    drainLane(device.context(scriptedTransport(noResponse).transport), lane);

  test('when the first of its ops is due', async () => {
    await queueVoteDueIn(9_000, POLL_ID);
    await queueVoteDueIn(4_000, OTHER_POLL_ID);
    expect(await nextDrainMs()).toBe(4_000);
  });

  test('when a lease of another tab expires', async () => {
    await queueVoteDueIn(20_000, POLL_ID);
    await queueVoteDueIn(0, OTHER_POLL_ID);
    const leaseUntil = device.clock.now() + 7_000;
    const leaseFields = { state: 'sending', leaseOwner: 'tab-2:a', leaseUntil } as const;
    await device.db.ops.where('entityId').equals(OTHER_POLL_ID).modify(leaseFields);
    expect(await nextDrainMs()).toBe(7_000);
  });

  test('but not for ops of the other lane or ops that wait for a login or a decision', async () => {
    await queueVoteDueIn(4_000, POLL_ID);
    expect(await nextDrainMs('creations')).toBeNull();
    for (const state of ['blocked_auth', 'rejected', 'needs_attention'] as const) {
      await device.db.ops.toCollection().modify({ state });
      expect(await nextDrainMs()).toBeNull();
    }
  });

  test('an hour later for a vote beyond the limit of an unverified user, without delaying others', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    const { transport, sent } = scriptedTransport(
      errorResponse('vote_limit', { 'Retry-After': '86400' }),
      device.applied(),
    );
    const context = device.context(transport);
    expect(await drainLane(context, 'votes')).toBe(3_600_000);
    expect(sent).toHaveLength(2);
    const waiting = await device.db.ops.toArray();
    expect(waiting).toMatchObject([
      { entityId: POLL_ID, state: 'queued', lastError: { code: 'vote_limit' } },
    ]);
    device.clock.advance(3_599_000);
    expect(await drainLane(context, 'votes')).toBe(1_000);
    device.clock.advance(1_000);
    expect(await drainLane(context, 'votes')).toBeNull();
    expect(sent[2]?.headers['Idempotency-Key']).toBe(sent[0]?.headers['Idempotency-Key']);
    expect(await device.db.ops.count()).toBe(0);
  });

  test('after the pause that the server has requested', async () => {
    await device.voteOn(POLL_ID);
    const context = device.context(
      scriptedTransport(errorResponse('rate_limited', { 'Retry-After': '9' })).transport,
    );
    expect(await drainLane(context, 'votes')).toBe(9_000);
    device.clock.advance(2_000);
    await device.voteOn(OTHER_POLL_ID);
    expect(await drainLane(context, 'votes')).toBe(7_000);
  });
});

describe('a poll that is repeated after a restore', () => {
  const drainPolls = async () => {
    const { transport, sent } = scriptedTransport(noResponse);
    const waitMs = await drainLane(device.context(transport), 'creations');
    return { waitMs, sentCount: sent.length };
  };

  test('waits, without constant drains, for repeated votes whose points may pay for it', async () => {
    await device.voteOn(POLL_ID);
    await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    await device.db.ops.toCollection().modify({ isRepeated: true });
    expect(await drainPolls()).toEqual({ waitMs: RECHECK_PAUSE_MS, sentCount: 0 });
    const votes = device.db.ops.where('entityId').equals(POLL_ID);
    await votes.modify({ nextAttemptAt: device.clock.now() + 3_000 });
    expect(await drainPolls()).toEqual({ waitMs: 3_000, sentCount: 0 });
    await votes.delete();
    expect((await drainPolls()).sentCount).toBe(1);
  });

  test('does not wait for a vote that has failed five times', async () => {
    await device.voteOn(POLL_ID);
    await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    await device.db.ops.toCollection().modify({ isRepeated: true });
    const votes = device.db.ops.where('entityId').equals(POLL_ID);
    await votes.modify({ attempts: 4 });
    expect((await drainPolls()).sentCount).toBe(0);
    await votes.modify({ attempts: 5 });
    expect((await drainPolls()).sentCount).toBe(1);
  });
});

test('one poll at a time is leased, for 30 seconds', async () => {
  for (const question of ['First?', 'Second?']) {
    await queuePoll(device.db, device.userId, sampleDraft({ question }), device.clock.now());
  }
  const rows: unknown[] = [];
  const { transport } = scriptedTransport(async (): Promise<'no_response'> => {
    rows.push(...(await device.db.ops.toArray()));
    return 'no_response';
  });
  await drainLane(device.context(transport), 'creations');
  expect(rows).toMatchObject([
    {
      state: 'sending',
      leaseOwner: expect.stringMatching(/^tab-1:/),
      leaseUntil: device.clock.now() + LEASE_MS,
    },
    { state: 'queued', leaseOwner: null },
  ]);
});

test('an op counts as taken over if another tab had leased it before', async () => {
  for (const id of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(id);
  const expiredLease = { state: 'sending', leaseOwner: 'tab-2:a', leaseUntil: device.clock.now() } as const;
  await device.db.ops.where('entityId').equals(OTHER_POLL_ID).modify(expiredLease);
  await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
  expect((await device.db.ops.toArray()).map(({ wasTakenOver }) => wasTakenOver)).toEqual([undefined, true]);
});

test('a lane whose lock is held is not drained while any of its leases is live', async () => {
  for (const id of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(id);
  const now = device.clock.now();
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'tab-2:a', leaseUntil: now });
  await device.db.ops
    .where('entityId')
    .equals(POLL_ID)
    .modify({ leaseUntil: now + 5_000 });
  const { transport, sent } = scriptedTransport(noResponse);
  const lock = { ...localLock(), run: async () => false };
  expect(await drainLane(device.context(transport, { lock }), 'votes')).toBe(RECHECK_PAUSE_MS);
  expect(sent).toHaveLength(0);
});

test('a lane that another tab drains is drained again after half a second, even if more ops are due', async () => {
  for (const id of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(id);
  const leaseUntil = device.clock.now() + 30_000;
  const leaseFields = { state: 'sending', leaseOwner: 'tab-2:a', leaseUntil } as const;
  await device.db.ops.where('entityId').equals(POLL_ID).modify(leaseFields);
  const lock = localLock();
  const { transport, sent } = scriptedTransport(noResponse);
  await lock.run(drainLockName(device.userId, 'votes'), async () => {
    expect(await drainLane(device.context(transport, { lock }), 'votes')).toBe(RECHECK_PAUSE_MS);
  });
  expect(sent).toHaveLength(0);
});

test('no timer remains after a drain', async () => {
  await device.voteOn(POLL_ID);
  await drainLane(device.context(scriptedTransport(device.applied()).transport), 'votes');
  expect(device.clock.delays()).toEqual([]);
  await device.voteOn(OTHER_POLL_ID);
  await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
  expect(device.clock.delays()).toEqual([]);
});

test('a new poll is not delayed by votes that are repeated after a restore', async () => {
  const { db, clock, userId } = device;
  for (let poll = 1; poll <= 2; poll += 1) await queuePoll(db, userId, sampleDraft(), clock.now());
  const [repeated, fresh] = await db.ops.orderBy('seq').toArray();
  await queueVoteDueIn(20_000, POLL_ID);
  await db.ops
    .filter(({ opId, type }) => opId === repeated?.opId || type === 'vote')
    .modify({ isRepeated: true });
  const { transport, sent } = scriptedTransport(device.applied());
  await drainLane(device.context(transport), 'creations');
  expect(sent.map(({ headers }) => headers['Idempotency-Key'])).toEqual([fresh?.opId]);
});

test('a repeated poll does not wait for a repeated vote that needs a decision', async () => {
  await device.voteOn(POLL_ID);
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  await device.db.ops.toCollection().modify({ isRepeated: true });
  // After five refusals with the outcome `unclear`; `attempts` was reset in between, after the server was unreachable.
  await device.db.ops
    .where('entityId')
    .equals(POLL_ID)
    .modify({ state: 'needs_attention', refusals: 5, attempts: 1 });
  const { transport, sent } = scriptedTransport(device.applied());
  await drainLane(device.context(transport), 'creations');
  expect(sent).toHaveLength(1);
});

test('a report waits neither for a vote on the same poll beyond the limit of an unverified user nor for its change', async () => {
  await device.voteOn(POLL_ID);
  const { transport, sent } = scriptedTransport(
    errorResponse('vote_limit', { 'Retry-After': '86400' }),
    device.applied(),
  );
  await drainLane(device.context(transport), 'votes');
  const change = { type: 'changeVote', payload: { pollId: POLL_ID, option: 2 } } as const;
  await queueOp(device.db, device.userId, change, device.clock.now());
  const report = { type: 'report', payload: { pollId: POLL_ID, reason: 'other' } } as const;
  await queueOp(device.db, device.userId, report, device.clock.now());
  expect(await drainLane(device.context(transport), 'votes')).toBe(3_600_000);
  expect(sent.map(({ path }) => path.split('/').at(-1))).toEqual(['vote', 'report']);
});

test('a report waits for an earlier vote on the same poll that another tab is sending', async () => {
  await device.voteOn(POLL_ID);
  const leaseUntil = device.clock.now() + 7_000;
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'tab-2:a', leaseUntil });
  const report = { type: 'report', payload: { pollId: POLL_ID, reason: 'other' } } as const;
  await queueOp(device.db, device.userId, report, device.clock.now());
  const { transport, sent } = scriptedTransport(device.applied());
  await drainLane(device.context(transport), 'votes');
  expect(sent).toEqual([]);
});

test('a report is not sent together with an earlier vote on the same poll', async () => {
  await device.voteOn(OTHER_POLL_ID);
  await device.voteOn(POLL_ID);
  const report = { type: 'report', payload: { pollId: POLL_ID, reason: 'other' } } as const;
  await queueOp(device.db, device.userId, report, device.clock.now());
  // The first op is sent alone. After its success, up to three requests are in flight; these get no response.
  const { transport, sent } = scriptedTransport(device.applied(), noResponse);
  await drainLane(device.context(transport), 'votes');
  expect(sent.map(({ path }) => path.split('/').at(-1))).not.toContain('report');
});
