import { expect, vi } from 'vitest';
import { createDrainer, type DrainerContext } from '#sync/client/drain/drainer.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session, UserSession } from '#sync/client/session/session-context.ts';
import { type DrainHarness, drainHarness } from './drain-harness.ts';
import { type Reply, scriptedTransport } from './fake-transport.ts';
import { sampleUser } from './samples.ts';

/** The delay before the next drain of an empty lane. */
export const IDLE_DRAIN_DELAY_MS = 30_000;

/** The drainer of a tab with a logged-in user. */
export async function drainerHarness() {
  const device: DrainHarness = await drainHarness();
  const session = observable<Session>({ status: 'loading' });
  const calls = {
    requestBackgroundDrain: vi.fn<() => void>(),
    onLoggedOutElsewhere: vi.fn<() => void>(),
    onBlocked: vi.fn<(userId: number) => void>(),
    checkSession: vi.fn(async () => {}),
  };
  function logIn(changes: Partial<UserSession> = {}): void {
    const { db, userId } = device;
    session.set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false, ...changes });
  }
  logIn();
  return {
    device,
    session,
    calls,
    logIn,
    /** Creates a drainer whose server responds with `replies`, in order. */
    drainerWith(replies: Reply[], changes: Partial<DrainerContext> = {}) {
      const { transport, sent } = scriptedTransport(...replies);
      const isLoggedInHere = vi.fn(async (_userId: number) => true);
      const context = { ...device.context(transport), ...calls, session, isLoggedInHere, ...changes };
      return { drainer: createDrainer(context), sent, isLoggedInHere };
    },
    /** Waits until all drains have ended: each lane then has only the timer of its next drain, with one of these delays. */
    expectNextDrainsIn: (...delaysMs: number[]) =>
      vi.waitFor(() => expect(device.clock.delays()).toEqual(delaysMs)),
  };
}

export type DrainerHarness = Awaited<ReturnType<typeof drainerHarness>>;
