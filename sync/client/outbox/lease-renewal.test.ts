import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Op } from '#sync/operations/registry.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { OTHER_POLL_ID, POLL_ID } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { isLeased, isLeaseLive, LEASE_MS, modifyLeased, releaseLeases, renewLeases } from './lease.ts';

const RENEWAL_MS = 10_000;
const OWNER = 'tab-1:drain';

let device: DrainHarness;
let leased: Op[];

beforeEach(async () => {
  device = await drainHarness();
  await device.voteOn(POLL_ID);
  await device.voteOn(OTHER_POLL_ID);
  const leaseUntil = device.clock.now() + LEASE_MS;
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: OWNER, leaseUntil });
  leased = await device.db.ops.toArray();
});

/** The first of the leased ops, as it was when it was leased. */
function firstLeased(): Op {
  const [op] = leased;
  if (op === undefined) throw new Error('no op');
  return op;
}

const leaseHolder = () => ({ db: device.db, clock: device.clock, owner: OWNER });

/** The remaining milliseconds of each lease. */
async function remainingLeasesMs(): Promise<number[]> {
  return (await device.db.ops.toArray()).map(({ leaseUntil }) => leaseUntil - device.clock.now());
}

describe('leases', () => {
  test('are renewed every 10 seconds, for 30 seconds each', async () => {
    renewLeases(leaseHolder(), leased);
    for (let round = 1; round <= 3; round += 1) {
      await vi.waitFor(() => expect(device.clock.delays()).toEqual([RENEWAL_MS]));
      device.clock.advance(RENEWAL_MS);
      await vi.waitFor(async () => expect(await remainingLeasesMs()).toEqual([LEASE_MS, LEASE_MS]));
    }
  });

  test('are renewed 10 seconds after a renewal that failed', async () => {
    let isFull = true;
    device.db.ops.hook('updating', () => {
      if (isFull) throw Object.assign(new Error('full'), { name: 'QuotaExceededError' });
    });
    renewLeases(leaseHolder(), leased);
    device.clock.advance(RENEWAL_MS);
    await vi.waitFor(() => expect(device.clock.delays()).toEqual([RENEWAL_MS]));
    expect(await remainingLeasesMs()).toEqual([LEASE_MS - RENEWAL_MS, LEASE_MS - RENEWAL_MS]);
    isFull = false;
    device.clock.advance(RENEWAL_MS);
    await vi.waitFor(async () => expect(await remainingLeasesMs()).toEqual([LEASE_MS, LEASE_MS]));
  });

  test('are not renewed if the op has another owner or is not being sent', async () => {
    const [firstOp, secondOp] = leased;
    await device.db.ops.update(firstOp?.seq ?? 0, { leaseOwner: 'tab-2:drain' });
    await device.db.ops.update(secondOp?.seq ?? 0, { state: 'queued' });
    renewLeases(leaseHolder(), leased);
    device.clock.advance(RENEWAL_MS);
    await vi.waitFor(() => expect(device.clock.delays()).toEqual([RENEWAL_MS]));
    expect(await remainingLeasesMs()).toEqual([LEASE_MS - RENEWAL_MS, LEASE_MS - RENEWAL_MS]);
  });

  test('are not renewed after sending has ended', async () => {
    const stop = renewLeases(leaseHolder(), leased);
    stop();
    expect(device.clock.delays()).toEqual([]);
  });

  test('are not renewed again if sending ends during a renewal', async () => {
    const stop = renewLeases(leaseHolder(), leased);
    device.clock.advance(RENEWAL_MS);
    stop();
    await vi.waitFor(async () => expect(await remainingLeasesMs()).toEqual([LEASE_MS, LEASE_MS]));
    await settled();
    expect(device.clock.delays()).toEqual([]);
  });

  test('are not renewed, without an error, if the database was closed', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    renewLeases(leaseHolder(), leased);
    device.db.close();
    device.clock.advance(RENEWAL_MS);
    await settled();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(device.clock.delays()).toEqual([]);
  });
});

describe('a leased op', () => {
  test('belongs to the drain that has leased it', async () => {
    expect(await isLeased(leaseHolder(), firstLeased())).toBe(true);
  });

  test.each<[string, Partial<Op>]>([
    ['went back to the queue', { state: 'queued' }],
    ['was leased by another tab', { leaseOwner: 'tab-2:drain' }],
    ['was replaced by another op with the same sequence number', { opId: 'another' }],
  ])('is no longer leased to its former owner if it %s', async (_case, changes) => {
    const op = firstLeased();
    await device.db.ops.update(op.seq, changes);
    expect(await isLeased(leaseHolder(), op)).toBe(false);
  });

  test('is no longer leased to its former owner if it was removed', async () => {
    await device.db.ops.clear();
    expect(await isLeased(leaseHolder(), firstLeased())).toBe(false);
  });

  test('is changed only by the owner of its lease', async () => {
    await device.db.ops.update(firstLeased().seq, { leaseOwner: 'tab-2:drain' });
    await modifyLeased(leaseHolder(), leased, { attempts: 7 });
    expect((await device.db.ops.toArray()).map(({ attempts }) => attempts)).toEqual([0, 7]);
  });
});

test('releaseLeases returns ops to the queue unless their state has changed', async () => {
  await device.db.ops.update(firstLeased().seq, { state: 'rejected' });
  await releaseLeases(leaseHolder(), leased);
  expect(await device.db.ops.toArray()).toMatchObject([
    { state: 'rejected', leaseOwner: OWNER },
    { state: 'queued', leaseOwner: null },
  ]);
});

describe('a lease is live', () => {
  const NOW_MS = 1_700_000_000_000;
  const leasedOp = (changes: Partial<Op>) =>
    ({ ...firstLeased(), leaseUntil: NOW_MS + LEASE_MS, ...changes }) as Op;

  test('until it has expired', () => {
    expect(isLeaseLive(leasedOp({ leaseUntil: NOW_MS + 1 }), NOW_MS)).toBe(true);
    expect(isLeaseLive(leasedOp({ leaseUntil: NOW_MS }), NOW_MS)).toBe(false);
  });

  test('only while its op is being sent', () => {
    expect(isLeaseLive(leasedOp({ state: 'queued' }), NOW_MS)).toBe(false);
  });

  test('unless its owner is gone', () => {
    expect(isLeaseLive(leasedOp({}), NOW_MS, new Set([OWNER]))).toBe(false);
    expect(isLeaseLive(leasedOp({}), NOW_MS, new Set(['another']))).toBe(true);
    expect(isLeaseLive(leasedOp({ leaseOwner: null }), NOW_MS, new Set([OWNER]))).toBe(true);
  });

  test('for at most its duration if the clock was set back', () => {
    expect(isLeaseLive(leasedOp({ leaseUntil: NOW_MS + LEASE_MS }), NOW_MS)).toBe(true);
    expect(isLeaseLive(leasedOp({ leaseUntil: NOW_MS + LEASE_MS + 1 }), NOW_MS)).toBe(false);
  });
});
