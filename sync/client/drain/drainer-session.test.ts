import { beforeEach, describe, expect, test, vi } from 'vitest';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import { type DrainHarness, FIRST_PAUSE_MS } from '#sync/testing/drain-harness.ts';
import { type DrainerHarness, drainerHarness, IDLE_DRAIN_DELAY_MS } from '#sync/testing/drainer-harness.ts';
import { errorResponse, noResponse } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import type { DrainerContext } from './drainer.ts';

let tab: DrainerHarness;
let device: DrainHarness;

beforeEach(async () => {
  tab = await drainerHarness();
  device = tab.device;
});

describe('nothing is sent', () => {
  const expectNothingSent = async (changes: Partial<DrainerContext> = {}) => {
    await device.voteOn(POLL_ID);
    const { drainer, sent } = tab.drainerWith([noResponse], changes);
    drainer.drainAll();
    await settled();
    expect(sent).toHaveLength(0);
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'queued' }]);
  };

  test('for a visitor, and no further drain is scheduled', async () => {
    tab.session.set({ status: 'visitor' });
    await expectNothingSent();
    expect(device.clock.delays()).toEqual([]);
  });

  test('while the user has to log in, and no further drain is scheduled', async () => {
    tab.logIn({ needsLogin: true });
    await expectNothingSent();
    expect(device.clock.delays()).toEqual([]);
  });

  test('after another tab has logged the user out, which logs this tab out too', async () => {
    await expectNothingSent({ isLoggedInHere: async () => false });
    await vi.waitFor(() => expect(tab.calls.onLoggedOutElsewhere).toHaveBeenCalled());
  });

  test('after the first request, if a logout, the end of the session or another login happens during it', async () => {
    const otherUser = await freshUserDb();
    const sessionChanges = [
      () => tab.session.set({ status: 'visitor' }),
      () => tab.logIn({ needsLogin: true }),
      () => tab.logIn({ db: otherUser.db }),
    ];
    for (const changeSession of sessionChanges) {
      await device.db.ops.clear();
      tab.logIn();
      await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
      await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
      const accept = device.applied();
      const { drainer, sent } = tab.drainerWith([
        (request) => {
          changeSession();
          return accept(request);
        },
      ]);
      drainer.drain('creations');
      await vi.waitFor(async () => expect(await device.db.ops.count()).toBe(1));
      await settled();
      expect(sent).toHaveLength(1);
      expect(tab.calls.onLoggedOutElsewhere).not.toHaveBeenCalled();
    }
  });
});

test('a drain checks on the device that its user is logged in, and calls onBlocked if the server finds no session', async () => {
  await device.voteOn(POLL_ID);
  const { drainer, isLoggedInHere } = tab.drainerWith([errorResponse('unauthenticated')]);
  drainer.drain('votes');
  await vi.waitFor(() => expect(tab.calls.onBlocked).toHaveBeenCalledExactlyOnceWith(device.userId));
  expect(isLoggedInHere).toHaveBeenCalledWith(device.userId);
});

test('blocked ops that a closed tab has left lead to a session check', async () => {
  await device.voteOn(POLL_ID);
  await device.db.ops.toCollection().modify({ state: 'blocked_auth' });
  const { drainer } = tab.drainerWith([]);
  drainer.drain('votes');
  await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
  expect(tab.calls.checkSession).not.toHaveBeenCalled();
  device.clock.advance(IDLE_DRAIN_DELAY_MS);
  await vi.waitFor(() => expect(tab.calls.checkSession).toHaveBeenCalledOnce());
  // The server has not rejected the session of this tab.
  expect(tab.calls.onBlocked).not.toHaveBeenCalled();
});

describe('a drain during which the session ends', () => {
  /** Drains a vote that gets no response, and calls `duringRequest` during the request. */
  const drainWhile = async (duringRequest: () => void, ...nextDrainsMs: number[]) => {
    await device.voteOn(POLL_ID);
    const { drainer } = tab.drainerWith([
      () => {
        duringRequest();
        return 'no_response';
      },
    ]);
    drainer.drain('votes');
    await settled();
    await tab.expectNextDrainsIn(...nextDrainsMs);
    return device.db.ops.toArray();
  };

  test('blocks the op', async () => {
    expect(await drainWhile(() => tab.logIn({ needsLogin: true }), IDLE_DRAIN_DELAY_MS)).toMatchObject([
      { state: 'blocked_auth' },
    ]);
    expect(tab.calls.requestBackgroundDrain).not.toHaveBeenCalled();
  });

  test("keeps the op queued if another user's session has ended", async () => {
    const otherUser = await freshUserDb();
    const ops = await drainWhile(() => tab.logIn({ db: otherUser.db, needsLogin: true }), FIRST_PAUSE_MS);
    expect(ops).toMatchObject([{ state: 'queued' }]);
  });

  test('keeps the op queued after a logout, and no further drain is scheduled', async () => {
    expect(await drainWhile(() => tab.session.set({ status: 'visitor' }))).toMatchObject([
      { state: 'queued', attempts: 1 },
    ]);
  });
});
