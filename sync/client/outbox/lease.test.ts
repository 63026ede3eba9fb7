import { beforeEach, describe, expect, test } from 'vitest';
import { localLock } from '#sync/client/device/lock.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID } from '#sync/testing/samples.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

describe('with leases', () => {
  test('an op that another tab has leased is not sent until the lease expires', async () => {
    await device.voteOn(POLL_ID);
    await device.db.ops.toCollection().modify({
      state: 'sending',
      leaseOwner: 'tab-that-was-killed',
      leaseUntil: device.clock.now() + 30_000,
    });
    const { transport, sent } = scriptedTransport(device.applied());
    expect(await drainLane(device.context(transport), 'votes')).toBe(30_000);
    expect(sent).toHaveLength(0);
    device.clock.advance(30_000);
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toHaveLength(1);
  });

  test('a late failure changes nothing once another tab has leased the op', async () => {
    await device.voteOn(POLL_ID);
    const { transport } = scriptedTransport(async (): Promise<'no_response'> => {
      await device.db.ops.toCollection().modify({ leaseOwner: 'tab-2' });
      return 'no_response';
    });
    await drainLane(device.context(transport), 'votes');
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'sending', leaseOwner: 'tab-2' }]);
  });

  test('two concurrent tabs send an op once', async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(device.applied());
    await Promise.all([
      drainLane(device.context(transport, { tabId: 'tab-1' }), 'votes'),
      drainLane(device.context(transport, { tabId: 'tab-2' }), 'votes'),
    ]);
    expect(sent).toHaveLength(1);
  });

  test('an op of a closed tab is sent at once if all tabs share the locks', async () => {
    await device.voteOn(POLL_ID);
    await device.db.ops.toCollection().modify({
      state: 'sending',
      leaseOwner: 'tab-that-was-reloaded',
      leaseUntil: device.clock.now() + 30_000,
    });
    const { transport, sent } = scriptedTransport(device.applied());
    const lock = { ...localLock(), spansTabs: true };
    expect(await drainLane(device.context(transport, { lock }), 'votes')).toBeNull();
    expect(sent).toHaveLength(1);
  });
});
