import { LANES, type Lane } from '#sync/protocol/op.ts';
import { background } from './background.ts';
import { drainLane } from './drain.ts';
import { noTrouble } from './lane-trouble.ts';
import type { Observable } from './observable.ts';
import { moveOps } from './outbox.ts';
import type { DrainContext, Session } from './types.ts';

/** While somebody is signed in, the queue is looked at at least this often. */
const WATCHDOG_MS = 30_000;
/** The shortest pause between two looks, so that no mistake can make a tab spin. */
const SHORTEST_PAUSE_MS = 50;

/** Everything of a drain's context but the user, who is looked up at each start. */
export type DrainerContext = Omit<DrainContext, 'db' | 'userId' | 'trouble' | 'isSignedIn' | 'onBlocked'> & {
  session: Observable<Session>;
  onBlocked(userId: number): void;
};

/** Decides when this tab drains which lane: one drain a lane at a time, and again when the next op is due. */
export type Drainer = {
  drain(lane: Lane): void;
  drainAll(): void;
};

type SignedIn = Extract<Session, { status: 'user' }>;

export function createDrainer(context: DrainerContext): Drainer {
  const { clock, session } = context;
  const trouble = noTrouble();
  /** Drains under way and asked for once more, by user and lane: one user's slow upload holds up no other user. */
  const running = new Set<string>();
  const again = new Set<string>();
  const timers = new Map<Lane, () => void>();

  /** A call during a drain makes it look once more. */
  function drain(lane: Lane): void {
    const current = session.get();
    if (current.status !== 'user' || current.needsLogin) return;
    const key = `${current.user.id}:${lane}`;
    if (running.has(key)) {
      again.add(key);
      return;
    }
    running.add(key);
    background(
      drainOnce(lane, current).then((waitMs) => {
        running.delete(key);
        if (again.delete(key)) drain(lane);
        else schedule(lane, waitMs);
      }),
    );
  }

  async function drainOnce(lane: Lane, { db, user }: SignedIn): Promise<number | null> {
    const userId = user.id;
    const onBlocked = () => context.onBlocked(userId);
    const isSignedIn = async () => {
      const now = session.get();
      return now.status === 'user' && now.db === db && !now.needsLogin;
    };
    try {
      const waitMs = await drainLane({ ...context, db, userId, trouble, isSignedIn, onBlocked }, lane);
      const after = session.get();
      if (after.status !== 'user' || after.db !== db || !after.needsLogin) return waitMs;
      // The session ended under the drain: what it put back waits for the login like the rest.
      await moveOps(db, 'queued', 'blocked_auth');
      return null;
    } catch {
      // The database was closed or lost under the drain: what it had leased is due again later.
      return WATCHDOG_MS;
    }
  }

  /** With nothing waiting too: another tab may leave something behind that it cannot send any more. */
  function schedule(lane: Lane, waitMs: number | null): void {
    timers.get(lane)?.();
    const delayMs = Math.min(Math.max(waitMs ?? WATCHDOG_MS, SHORTEST_PAUSE_MS), WATCHDOG_MS);
    timers.set(
      lane,
      clock.setTimeout(() => drain(lane), delayMs),
    );
  }

  return {
    drain,
    drainAll() {
      for (const lane of LANES) drain(lane);
    },
  };
}
