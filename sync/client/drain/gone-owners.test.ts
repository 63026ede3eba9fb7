import { beforeEach, describe, expect, test, vi } from 'vitest';
import { localLock } from '#sync/client/device/lock.ts';
import { findGoneOwners, LEASE_MS, leasedOps, ownerLockName } from '#sync/client/outbox/lease.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import type { Op } from '#sync/operations/registry.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
  await device.voteOn(POLL_ID);
});

const leasedBy = (leaseOwner: string | null) => ({ leaseOwner, state: 'sending' }) as Op;

/** Locks that all tabs share, of which `owners` hold their owner locks. */
function sharedLock(...owners: string[]) {
  return { ...localLock(), spansTabs: true, heldNames: async () => new Set(owners.map(ownerLockName)) };
}

describe('the owner of a lease counts as gone', () => {
  test('when no tab holds its owner lock, if all tabs share the locks', async () => {
    const lock = sharedLock('tab-1:a', 'tab-2:a');
    const leases = ['tab-1:a', 'tab-1:b', 'tab-2:a', 'tab-2:b', null].map(leasedBy);
    expect(await findGoneOwners({ lock, tabId: 'tab-1' }, leases)).toEqual(new Set(['tab-1:b', 'tab-2:b']));
  });

  test('only if it belongs to this tab, if each tab has its own locks', async () => {
    const lock = localLock();
    const leases = ['tab-1:b', 'tab-2:b', 'tab-10:b'].map(leasedBy);
    expect(await findGoneOwners({ lock, tabId: 'tab-1' }, leases)).toEqual(new Set(['tab-1:b']));
  });

  test('never if the browser does not list its locks', async () => {
    const lock = { ...sharedLock(), heldNames: () => Promise.reject(new Error('no response')) };
    expect(await findGoneOwners({ lock, tabId: 'tab-1' }, [leasedBy('tab-2:b')])).toEqual(new Set());
  });

  test('never if no lease has an owner, and the browser is not queried', async () => {
    const heldNames = vi.fn(async () => new Set<string>());
    const lock = { ...sharedLock(), heldNames };
    expect(await findGoneOwners({ lock, tabId: 'tab-1' }, [leasedBy(null)])).toEqual(new Set());
    expect(heldNames).not.toHaveBeenCalled();
  });
});

test('leasedOps returns only the leased ops of the lane', async () => {
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  expect(await leasedOps(device.db, 'votes')).toEqual([]);
  await device.db.ops.toCollection().modify({ state: 'sending' });
  expect(await leasedOps(device.db, 'votes')).toMatchObject([{ type: 'vote' }]);
  expect(await leasedOps(device.db, 'creations')).toMatchObject([{ type: 'createPoll' }]);
});

test('an op that was leased before the clock was set back is sent at once', async () => {
  await device.db.ops.toCollection().modify({
    state: 'sending',
    leaseOwner: 'tab-2:killed',
    leaseUntil: device.clock.now() + 3_600_000 + LEASE_MS,
  });
  const { transport, sent } = scriptedTransport(device.applied());
  expect(await drainLane(device.context(transport), 'votes')).toBeNull();
  expect(sent).toHaveLength(1);
});
