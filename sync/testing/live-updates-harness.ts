import { vi } from 'vitest';
import type { PollStatus } from '#shared/polls/schema.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';
import type { Puller } from '#sync/client/cache/puller.ts';
import { createLiveUpdates } from '#sync/client/live/live-updates.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { fakeClock } from './fake-clock.ts';
import { POLL_ID, sampleUser } from './samples.ts';
import { freshUserDb } from './user-db.ts';

/** The delay before live updates are stored. */
const BATCH_DELAY_MS = 600;
/** More turns of the event loop than the storing of live updates takes in a fake database. */
const STORING_TURNS = 60;

/** A live update of votes, by default of an active poll. */
export function votesUpdate(update: { votesCount: number; rev: number; status?: PollStatus; id?: string }) {
  return { type: 'poll.votes', id: POLL_ID, status: 'active', ...update } as const;
}

/** Creates the live updates of a tab with a logged-in user and a fake puller. */
export async function liveUpdatesHarness() {
  const { db, userId } = await freshUserDb();
  const clock = fakeClock();
  const session = observable<Session>({ status: 'loading' });
  const pullPoll = vi.fn<(id: string) => Promise<PullResult>>(async () => 'updated');
  const pullFeed = vi.fn<() => Promise<PullResult>>(async () => 'updated');
  const pullMine = vi.fn<() => Promise<PullResult>>(async () => 'updated');
  const pullNotifications = vi.fn<() => Promise<PullResult>>(async () => 'updated');
  const puller = {
    pullPoll,
    pullFeed,
    pullChangedMine: pullMine,
    pullChangedNotifications: pullNotifications,
  } as Partial<Puller> as Puller;
  const checkSession = vi.fn(async () => {});
  const updates = createLiveUpdates({
    clock,
    random: () => 0.5,
    session,
    puller,
    serverClock: clock,
    checkSession,
  });
  session.set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
  return {
    db,
    userId,
    clock,
    session,
    pullPoll,
    pullFeed,
    pullMine,
    pullNotifications,
    checkSession,
    updates,
    /** Advances the clock by the delay before live updates are stored, and waits until they are. */
    async untilStored(): Promise<void> {
      clock.advance(BATCH_DELAY_MS);
      // Each database step takes a turn of the event loop. Reads by the test would delay the storing.
      for (let turn = 0; turn < STORING_TURNS; turn++) await new Promise((next) => setImmediate(next));
    },
  };
}

export type LiveUpdatesHarness = Awaited<ReturnType<typeof liveUpdatesHarness>>;
