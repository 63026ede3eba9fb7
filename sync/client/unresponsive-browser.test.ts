import { beforeEach, describe, expect, test, vi } from 'vitest';
import { browserLock, localLock } from '#sync/client/device/lock.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { BrowserTimeoutError } from './timeout.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

describe('in an unresponsive browser', () => {
  test('ops are sent without Web Locks, under their leases, if lock requests never settle', async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(device.applied());
    vi.stubGlobal('navigator', {
      locks: { request: () => new Promise(() => {}), query: () => new Promise(() => {}) },
    });
    const lock = browserLock(device.clock);
    vi.unstubAllGlobals();
    let hasEnded = false;
    const draining = drainLane(device.context(transport, { lock }), 'votes').finally(() => {
      hasEnded = true;
    });
    // In small steps, since IndexedDB works in real time: a large step of the fake clock could exceed the timeout of a database
    // call (20 s) before the call has ended. Only the lock requests, which never end, should reach theirs (5 s).
    await vi.waitFor(
      () => {
        device.clock.advance(1_000);
        expect(hasEnded).toBe(true);
      },
      { timeout: 10_000 },
    );
    await draining;
    expect(sent).toHaveLength(1);
    expect(await device.db.ops.count()).toBe(0);
  });

  test('a drain ends and releases its lock if database work never settles', async () => {
    await device.voteOn(POLL_ID);
    const lock = localLock();
    const { transport, sent } = scriptedTransport(device.applied());
    const hangingDb = new Proxy(device.db, {
      get: (db, name) => (name === 'transaction' ? () => new Promise(() => {}) : Reflect.get(db, name)),
    });
    let failure: Error | null = null;
    void drainLane(device.context(transport, { lock, db: hangingDb }), 'votes').catch((error: Error) => {
      failure = error;
    });
    await vi.waitFor(() => {
      device.clock.advance(5_000);
      expect(failure).toBeInstanceOf(BrowserTimeoutError);
    });
    expect(sent).toHaveLength(0);
    expect(await drainLane(device.context(transport, { lock }), 'votes')).toBeNull();
    expect(sent).toHaveLength(1);
  });
});
