import type { Transport } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import { localLock } from '#sync/client/device/lock.ts';
import { noBackoff } from '#sync/client/drain/drain.ts';
import type { DrainContext } from '#sync/client/drain/drain-context.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import { fakeBrowser } from './fake-browser.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { json, type Reply } from './fake-transport.ts';
import { queueVote } from './queue-vote.ts';
import { samplePoll, sampleUser } from './samples.ts';
import { freshUserDb } from './user-db.ts';

/** The pause after a first failed attempt: half of the back-off window of a second, since `random` returns 0.5. */
export const FIRST_PAUSE_MS = 500;

/** A user's database, and the context for drains of it. */
export type DrainHarness = {
  db: UserDb;
  userId: number;
  clock: FakeClock;
  events: EngineEvent[];
  context(transport: Transport, changes?: Partial<DrainContext>): DrainContext;
  voteOn(pollId: string, option?: 1 | 2): Promise<void>;
  /** The server's response to an applied vote. */
  applied(changes?: Parameters<typeof samplePoll>[0]): Reply;
};

/** Creates the database of a new user with 50 points. */
export async function drainHarness(): Promise<DrainHarness> {
  const { db, userId } = await freshUserDb(50);
  const clock = fakeClock();
  const events: EngineEvent[] = [];
  return {
    db,
    userId,
    clock,
    events,
    context: (transport, changes = {}) => ({
      transport,
      clock,
      lock: localLock(),
      storage: fakeBrowser.storage,
      isLoggedIn: async () => true,
      random: () => 0.5,
      isOnline: () => true,
      db,
      userId,
      tabId: 'tab-1',
      backoff: noBackoff(),
      emit: (event) => events.push(event),
      onBlocked: () => {},
      ...changes,
    }),
    voteOn: (pollId, option = 1) => queueVote(db, { userId, pollId, option }, clock.now()),
    applied: (changes = {}) =>
      json(200, {
        poll: samplePoll({ votes: [{ option: 1 }], votesCount: 13, rev: 6, ...changes }),
        user: sampleUser({ id: userId, points: 51, rev: 2 }),
      }),
  };
}
