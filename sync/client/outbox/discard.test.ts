import { beforeEach, describe, expect, test, vi } from 'vitest';
import { localLock } from '#sync/client/device/lock.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { noResponse, type Reply, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { discardOp, discardWaiting, revokeLeases } from './discard.ts';
import { LEASE_MS } from './lease.ts';
import { queueOp, queuePoll } from './outbox.ts';

let device: DrainHarness;
const lock = { ...localLock(), spansTabs: true };

beforeEach(async () => {
  device = await drainHarness();
  await device.voteOn(POLL_ID);
  await device.voteOn(OTHER_POLL_ID);
});

/** Drains both votes and calls `duringFirst` while the first vote is being sent. Resolves with the requested paths. */
async function drainWith(duringFirst: () => Promise<void>): Promise<string[]> {
  const accept = device.applied();
  const reply: Reply = async (request) => {
    await duringFirst();
    return accept(request);
  };
  const { transport, sent } = scriptedTransport(reply, device.applied({ id: OTHER_POLL_ID }));
  await drainLane(device.context(transport, { lock }), 'votes');
  return sent.map(({ path }) => path);
}

async function opIdOf(pollId: string): Promise<string> {
  const op = await device.db.ops.where('entityId').equals(pollId).first();
  return op?.opId ?? '';
}

describe('while the first of two leased votes is being sent', () => {
  test('the next vote can be discarded and is never sent', async () => {
    const nextOpId = await opIdOf(OTHER_POLL_ID);
    const sent = await drainWith(async () => {
      expect(await discardOp({ lock, clock: device.clock }, device.db, nextOpId)).toBe(true);
    });
    expect(sent).toHaveLength(1);
    expect(await device.db.ops.count()).toBe(0);
  });

  test('the first vote cannot be discarded, since its outcome is unknown', async () => {
    const firstOpId = await opIdOf(POLL_ID);
    const sent = await drainWith(async () => {
      expect(await discardOp({ lock, clock: device.clock }, device.db, firstOpId)).toBe(false);
    });
    expect(sent).toHaveLength(2);
  });

  test('the first vote cannot be discarded before its lease expires, even after a logout and a login', async () => {
    const { clock, db } = device;
    const firstOpId = await opIdOf(POLL_ID);
    const discarded: boolean[] = [];
    await drainWith(async () => {
      await revokeLeases(db);
      discarded.push(await discardOp({ lock, clock }, db, firstOpId));
      clock.advance(LEASE_MS);
      discarded.push(await discardOp({ lock, clock }, db, firstOpId));
    });
    expect(discarded).toEqual([false, true]);
  });

  test('a logout that discards waiting ops prevents the next vote from being sent', async () => {
    expect(await drainWith(() => discardWaiting(device.db))).toHaveLength(1);
    expect(await device.db.ops.count()).toBe(0);
  });

  test('a logout that keeps waiting ops returns the next vote to the queue', async () => {
    let isLoggedIn = true;
    const accept = device.applied();
    const { transport, sent } = scriptedTransport(async (request) => {
      isLoggedIn = false;
      await revokeLeases(device.db);
      return accept(request);
    });
    await drainLane(device.context(transport, { lock, isLoggedIn: async () => isLoggedIn }), 'votes');
    expect(sent).toHaveLength(1);
    expect(await device.db.ops.toArray()).toMatchObject([{ entityId: OTHER_POLL_ID, state: 'queued' }]);
  });
});

test('a poll that is discarded while its images are read is not sent', async () => {
  await discardWaiting(device.db);
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  let isDiscarded = false;
  // Hashing the images takes the longest, so the op is discarded then.
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (...args) => {
    if (!isDiscarded) await discardWaiting(device.db);
    isDiscarded = true;
    return digest(...args);
  });
  const { transport, sent } = scriptedTransport(device.applied());
  await drainLane(device.context(transport), 'creations');
  vi.restoreAllMocks();
  expect(isDiscarded).toBe(true);
  expect(sent).toHaveLength(0);
  expect(device.events).toEqual([]);
});

test('refused ops are kept at a logout that discards waiting ops', async () => {
  const refusedOpId = await opIdOf(POLL_ID);
  await device.db.ops.where('opId').equals(refusedOpId).modify({ state: 'rejected' });
  await discardWaiting(device.db);
  expect(await device.db.ops.toArray()).toMatchObject([{ opId: refusedOpId, state: 'rejected' }]);
});

describe('in a browser whose tabs share no locks', () => {
  const ownLock = localLock();

  test('an op that another tab has leased cannot be discarded until its lease has expired', async () => {
    const { clock, db } = device;
    const leasedOpId = await opIdOf(POLL_ID);
    await db.ops
      .where('opId')
      .equals(leasedOpId)
      .modify({ state: 'sending', leaseOwner: 'tab-2:1', leaseUntil: clock.now() + 1_000 });
    expect(await discardOp({ lock: ownLock, clock }, db, leasedOpId)).toBe(false);
    expect(await db.ops.count()).toBe(2);
    clock.advance(1_000);
    expect(await discardOp({ lock: ownLock, clock }, db, leasedOpId)).toBe(true);
    expect(await db.ops.toArray()).toMatchObject([{ entityId: OTHER_POLL_ID }]);
  });

  test('an op whose attempt has failed can be discarded before its lease has expired', async () => {
    const { clock, db } = device;
    await drainLane(device.context(scriptedTransport(noResponse).transport, { lock: ownLock }), 'votes');
    const [op] = await db.ops.toArray();
    expect(op).toMatchObject({ state: 'queued', attempts: 1, leaseUntil: clock.now() + LEASE_MS });
    expect(await discardOp({ lock: ownLock, clock }, db, op?.opId ?? '')).toBe(true);
    expect(await db.ops.count()).toBe(1);
  });
});

test('an op that no tab is sending can be discarded despite its lease if tabs share locks', async () => {
  const { clock, db } = device;
  const leasedOpId = await opIdOf(POLL_ID);
  await db.ops
    .where('opId')
    .equals(leasedOpId)
    .modify({ state: 'sending', leaseOwner: 'tab-2:1', leaseUntil: clock.now() + 1_000 });
  expect(await discardOp({ lock, clock }, db, leasedOpId)).toBe(true);
  expect(await db.ops.count()).toBe(1);
});

test('an op that no longer exists counts as discarded', async () => {
  const { clock, db } = device;
  for (const eachLock of [lock, localLock()]) {
    expect(await discardOp({ lock: eachLock, clock }, db, 'gone')).toBe(true);
  }
  expect(await db.ops.count()).toBe(2);
});

test('discarding an op deletes its images, but not the images of other ops', async () => {
  for (let poll = 1; poll <= 2; poll += 1) {
    await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  }
  const [firstOp, secondOp] = await device.db.ops.filter(({ type }) => type === 'createPoll').toArray();
  await discardOp({ lock, clock: device.clock }, device.db, firstOp?.opId ?? '');
  const blobs = await device.db.opBlobs.toArray();
  expect(blobs.map(({ opId }) => opId)).toEqual([secondOp?.opId, secondOp?.opId]);
});

test('discardWaiting removes only the ops that the user has seen', async () => {
  const shownOpId = await opIdOf(POLL_ID);
  await discardWaiting(device.db, [shownOpId]);
  expect(await device.db.ops.toArray()).toMatchObject([{ entityId: OTHER_POLL_ID }]);
  await discardWaiting(device.db, []);
  expect(await device.db.ops.count()).toBe(1);
});

test('discarding a vote that may have been sent also discards its waiting change', async () => {
  const { clock, db, userId } = device;
  await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
  for (const pollId of [POLL_ID, OTHER_POLL_ID]) {
    await queueOp(db, userId, { type: 'changeVote', payload: { pollId, option: 2 } }, clock.now());
  }
  await discardOp({ lock, clock }, db, await opIdOf(POLL_ID));
  expect((await db.ops.toArray()).map(({ entityId }) => entityId)).toEqual([OTHER_POLL_ID]);
});
