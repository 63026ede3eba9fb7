import { beforeEach, describe, expect, test, vi } from 'vitest';
import { localLock } from '#sync/client/device/lock.ts';
import { discardOp, revokeLeases } from '#sync/client/outbox/discard.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { json, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';
import type { DrainContext } from './drain-context.ts';

let device: DrainHarness;
/** The locks that all tabs share. As in a browser, a suspended tab keeps its locks. */
let lock: DrainContext['lock'];

beforeEach(async () => {
  device = await drainHarness();
  lock = { ...localLock(), spansTabs: true };
});

const acceptVote = () =>
  json(200, { poll: null, user: sampleUser({ id: device.userId, points: 51, rev: 2 }) });

/** A tab that is suspended while its first vote is being sent: until it resumes, its timers do not run. */
async function suspendedTab() {
  const response = Promise.withResolvers<'no_response' | 'accepted'>();
  const accept = acceptVote();
  const { transport, sent } = scriptedTransport(
    async (request) => ((await response.promise) === 'accepted' ? accept(request) : 'no_response'),
    accept,
  );
  const clock = { now: device.clock.now, setTimeout: () => () => {} };
  const draining = drainLane(device.context(transport, { lock, clock, tabId: 'suspended' }), 'votes');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  return { sent, resume: response.resolve, draining };
}

/** Drains repeatedly in another tab until `seconds` have passed. Resolves with the time of each attempt in seconds. */
async function drainFor(seconds: number): Promise<number[]> {
  const startedAt = device.clock.now();
  const attempts: number[] = [];
  const accept = acceptVote();
  const { transport } = scriptedTransport((request) => {
    attempts.push((device.clock.now() - startedAt) / 1000);
    return accept(request);
  });
  const context = device.context(transport, { lock, tabId: 'visible' });
  while (device.clock.now() < startedAt + seconds * 1000) {
    await drainLane(context, 'votes');
    device.clock.advance(500);
  }
  return attempts;
}

describe('while a suspended tab holds the lock of a lane', () => {
  test('the op that it was sending is sent within 35 seconds', async () => {
    await device.voteOn(POLL_ID);
    const { sent } = await suspendedTab();
    const attempts = await drainFor(40);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toBeGreaterThanOrEqual(29);
    expect(attempts[0]).toBeLessThanOrEqual(35);
    expect(await device.db.ops.count()).toBe(0);
    expect(sent).toHaveLength(1);
  });

  test('later ops are sent within 35 seconds too', async () => {
    await device.voteOn(POLL_ID);
    await suspendedTab();
    await device.voteOn(OTHER_POLL_ID);
    const attempts = await drainFor(40);
    expect(attempts).toHaveLength(2);
    expect(Math.max(...attempts)).toBeLessThanOrEqual(35);
    expect(await device.db.ops.count()).toBe(0);
  });

  test('other tabs send its ops, and it does not send them again when it resumes', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    const { sent, resume, draining } = await suspendedTab();
    await drainFor(40);
    // The tab goes on to its second op.
    resume('accepted');
    await draining;
    expect(sent).toHaveLength(1);
    expect(await device.db.ops.count()).toBe(0);
  });

  test('an op whose lease was revoked is sent within 35 seconds, but not while that tab may be sending it', async () => {
    await device.voteOn(POLL_ID);
    await suspendedTab();
    await revokeLeases(device.db);
    // The other tab leases the op at once, but cannot send it while the suspended tab holds the op's lock. Once this lease has
    // expired, it takes the op over, and sends it without that lock.
    const attempts = await drainFor(40);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toBeGreaterThanOrEqual(29);
    expect(attempts[0]).toBeLessThanOrEqual(35);
    expect(await device.db.ops.count()).toBe(0);
  });

  test('an op that another tab has taken over cannot be discarded while it is being sent', async () => {
    await device.voteOn(POLL_ID);
    const { draining, resume } = await suspendedTab();
    device.clock.advance(30_000);
    let wasDiscarded: boolean | null = null;
    const { transport } = scriptedTransport(async (request) => {
      resume('no_response');
      await draining;
      const [op] = await device.db.ops.toArray();
      wasDiscarded = await discardOp({ lock, clock: device.clock }, device.db, op?.opId ?? '');
      return acceptVote()(request);
    });
    await drainLane(device.context(transport, { lock, tabId: 'visible' }), 'votes');
    expect(wasDiscarded).toBe(false);
  });

  test('the op that it was sending can be discarded only after its lease has expired', async () => {
    await device.voteOn(POLL_ID);
    await suspendedTab();
    const [op] = await device.db.ops.toArray();
    const discard = () => discardOp({ lock, clock: device.clock }, device.db, op?.opId ?? '');
    expect(await discard()).toBe(false);
    device.clock.advance(30_000);
    expect(await discard()).toBe(true);
    expect(await device.db.ops.count()).toBe(0);
  });
});

test('if tabs do not share locks, another tab sends an op whose lease was revoked only when the lease would have expired', async () => {
  await device.voteOn(POLL_ID);
  lock = localLock();
  await suspendedTab();
  await revokeLeases(device.db);
  lock = localLock();
  const attempts = await drainFor(40);
  expect(attempts).toHaveLength(1);
  expect(attempts[0]).toBeGreaterThanOrEqual(29);
  expect(attempts[0]).toBeLessThanOrEqual(35);
  expect(await device.db.ops.count()).toBe(0);
});

test('an op taken over from a closed tab is not sent twice when its lease is revoked', async () => {
  await device.voteOn(POLL_ID);
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'closed:1', leaseUntil: 0 });
  const { transport: otherTransport, sent: sentByOtherTab } = scriptedTransport(acceptVote());
  const { transport, sent } = scriptedTransport(async (request) => {
    await revokeLeases(device.db);
    await drainLane(device.context(otherTransport, { lock, tabId: 'other' }), 'votes');
    return acceptVote()(request);
  });
  await drainLane(device.context(transport, { lock, tabId: 'visible' }), 'votes');
  expect(sent).toHaveLength(1);
  expect(sentByOtherTab).toHaveLength(0);
});

test('a late second response to a creation does not delete the images kept after the first response', async () => {
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  const created = json(201, { poll: samplePoll({ isMine: true }), user: sampleUser({ id: device.userId }) });
  const responseGate = Promise.withResolvers<void>();
  const { transport, sent } = scriptedTransport(async (request) => {
    await responseGate.promise;
    return created(request);
  });
  const clock = { now: device.clock.now, setTimeout: () => () => {} };
  const suspended = drainLane(device.context(transport, { lock, clock, tabId: 'suspended' }), 'creations');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  device.clock.advance(31_000);
  await drainLane(device.context(scriptedTransport(created).transport, { lock }), 'creations');
  responseGate.resolve();
  await suspended;
  expect((await device.db.acknowledged.toArray()).map(({ blobs }) => blobs.length)).toEqual([2]);
});

test('a lease is live while its owner lock is held, even if the lock of the lane is free', async () => {
  await device.voteOn(POLL_ID);
  const { sent } = await suspendedTab();
  const [op] = await device.db.ops.toArray();
  // As if the browser had released the lock of the lane: only the owner lock shows that the owner still exists.
  const { transport, sent: sentByOtherTab } = scriptedTransport(acceptVote());
  const run: typeof lock.run = async (name, job) => {
    if (!name.startsWith('drain:')) return lock.run(name, job);
    await job();
    return true;
  };
  const waitMs = await drainLane(
    device.context(transport, { lock: { ...lock, run }, tabId: 'visible' }),
    'votes',
  );
  expect(waitMs).toBe((op?.leaseUntil ?? 0) - device.clock.now());
  expect(sentByOtherTab).toHaveLength(0);
  expect(sent).toHaveLength(1);
});
