import { LANES, type Lane } from '#sync/protocol/op.ts';
import { drainLane } from './drain.ts';
import type { Observable } from './observable.ts';
import { moveOps } from './outbox.ts';
import type { DrainContext, Session } from './types.ts';

/** While anything waits, the queue is looked at at least this often. */
const WATCHDOG_MS = 30_000;
/** The shortest pause between two looks, so that no mistake can make a tab spin. */
const SHORTEST_PAUSE_MS = 50;

/** Everything of a drain's context but the user, who is looked up at each start. */
export type DrainerContext = Omit<DrainContext, 'db' | 'userId' | 'failures' | 'onBlocked'> & {
  session: Observable<Session>;
  onBlocked(userId: number): void;
};

/** Decides when this tab drains which lane: one drain a lane at a time, and again when the next op is due. */
export type Drainer = {
  drain(lane: Lane): void;
  drainAll(): void;
};

export function createDrainer(context: DrainerContext): Drainer {
  const { clock, session } = context;
  const failures: Record<Lane, number> = { votes: 0, creations: 0 };
  const running = new Set<Lane>();
  const again = new Set<Lane>();
  const timers = new Map<Lane, () => void>();

  /** A call during a drain makes it look once more. */
  function drain(lane: Lane): void {
    if (running.has(lane)) {
      again.add(lane);
      return;
    }
    running.add(lane);
    void drainOnce(lane).then((waitMs) => {
      running.delete(lane);
      if (again.delete(lane)) drain(lane);
      else schedule(lane, waitMs);
    });
  }

  async function drainOnce(lane: Lane): Promise<number | null> {
    const current = session.get();
    if (current.status !== 'user' || current.needsLogin) return null;
    const userId = current.user.id;
    const onBlocked = () => context.onBlocked(userId);
    try {
      const waitMs = await drainLane({ ...context, db: current.db, userId, failures, onBlocked }, lane);
      const after = session.get();
      if (after.status !== 'user' || after.db !== current.db || !after.needsLogin) return waitMs;
      // The session ended under the drain: what it put back waits for the login like the rest.
      await moveOps(current.db, 'queued', 'blocked_auth');
      return null;
    } catch {
      // The database was closed or lost under the drain: what it had leased is due again later.
      return WATCHDOG_MS;
    }
  }

  function schedule(lane: Lane, waitMs: number | null): void {
    timers.get(lane)?.();
    timers.delete(lane);
    if (waitMs === null) return;
    const delayMs = Math.min(Math.max(waitMs, SHORTEST_PAUSE_MS), WATCHDOG_MS);
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
