import type { Capabilities } from '#sync/client/capabilities.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import type { Observable } from '#sync/client/observable.ts';
import { moveOps, resetOpBackoff } from '#sync/client/outbox/outbox.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';
import type { Session, UserSession } from '#sync/client/session/session-context.ts';
import { BrowserTimeoutError, withDatabaseTimeout } from '#sync/client/timeout.ts';
import { LANES, type Lane } from '#sync/operations/operation.ts';
import { drainLane, noBackoff } from './drain.ts';
import type { DrainContext } from './drain-context.ts';

/** The longest time between two drains of a lane while a user is logged in. */
const WATCHDOG_MS = 30_000;
/** The shortest time between a drain and the next scheduled one, so that a bug cannot cause a busy loop. */
const SHORTEST_PAUSE_MS = 50;

/** The context of drains without the user, who is looked up at the start of each drain. */
export type DrainerContext = Omit<DrainContext, 'db' | 'userId' | 'backoff' | 'isLoggedIn' | 'onBlocked'> &
  Pick<Capabilities, 'requestBackgroundDrain'> & {
    session: Observable<Session>;
    /** Whether this user is logged in according to the device's database: another tab may have logged them out. */
    isLoggedInHere(userId: number): Promise<boolean>;
    /** Called when another tab has logged the user out. */
    onLoggedOutElsewhere(): void;
    /** Called when the server has responded that the session of this user is not valid. */
    onBlocked(userId: number): void;
    /** Asks the server who is logged in. Without a response, nothing changes. */
    checkSession(): Promise<unknown>;
  };

/** Runs the drains of a tab, one at a time for each user and lane, and schedules the next drain for when an op is due. */
export type Drainer = {
  drain(lane: Lane): void;
  /** Drains all lanes. */
  drainAll(): void;
  /**
   * Drains all lanes after a signal that the browser may be online again. Ops that a running drain postpones are due again at
   * once: their attempt began before the signal, and their pause of up to 30 seconds is based on failures without a network.
   */
  drainAllAfterSignal(): void;
  /** Resets the back-off of all lanes. */
  resetLaneBackoff(): void;
};

/** Creates the drainer of a tab. It does nothing while nobody is logged in. */
export function createDrainer(context: DrainerContext): Drainer {
  const { clock, session } = context;
  let backoff = noBackoff();
  /** The running drains, by user and lane, so that a slow upload does not delay another user. */
  const running = new Set<string>();
  /** The running drains after which the lane is drained again. */
  const repeated = new Set<string>();
  /** The running drains during which a signal came. */
  const signalled = new Set<string>();
  const timers = new Map<Lane, () => void>();
  let isCheckingSession = false;
  let backgroundRequestedAt = Number.NEGATIVE_INFINITY;

  /** Requests a background drain in case the page is closed before everything is sent, at most once in `WATCHDOG_MS`. */
  function requestBackgroundIfDue(): void {
    if (!hasPassed(backgroundRequestedAt + WATCHDOG_MS, clock.now(), WATCHDOG_MS)) return;
    backgroundRequestedAt = clock.now();
    context.requestBackgroundDrain();
  }

  /** Drains a lane. A call during a drain makes the lane drain once more afterwards. */
  function drain(lane: Lane, { isSignal = false } = {}): void {
    const current = session.get();
    if (current.status !== 'user' || current.needsLogin) return;
    const key = `${current.user.id}:${lane}`;
    if (running.has(key)) {
      repeated.add(key);
      if (isSignal) signalled.add(key);
      return;
    }
    running.add(key);
    runInBackground(
      drainOnce(lane, current).then(async (waitMs) => {
        // If this fails, the ops keep their pause.
        if (signalled.delete(key)) {
          await withDatabaseTimeout(clock, resetOpBackoff(current.db)).catch(() => {});
        }
        running.delete(key);
        const latest = session.get();
        if (repeated.delete(key)) drain(lane);
        // If another user has logged in meanwhile, the timer of the lane is theirs. After a logout, the next login drains.
        else if (latest.status === 'user' && latest.user.id === current.user.id) schedule(lane, waitMs);
      }),
    );
  }

  async function drainOnce(lane: Lane, { db, user }: UserSession): Promise<number | null> {
    const userId = user.id;
    const onBlocked = () => context.onBlocked(userId);
    /** The current session; null if it no longer has this database. */
    const sameSession = () => {
      const latest = session.get();
      return latest.status === 'user' && latest.db === db ? latest : null;
    };
    const isLoggedIn = async () => {
      const latest = sameSession();
      if (latest === null || latest.needsLogin) return false;
      if (await context.isLoggedInHere(userId)) return true;
      context.onLoggedOutElsewhere();
      return false;
    };
    try {
      const waitMs = await drainLane({ ...context, db, userId, backoff, isLoggedIn, onBlocked }, lane);
      if (!sameSession()?.needsLogin) return waitMs;
      // The session ended during the drain: the ops that have returned to the queue must wait for the login, too.
      await withDatabaseTimeout(clock, moveOps(db, 'queued', 'blocked_auth'));
      return null;
    } catch (error) {
      // A database that does not respond is reopened by the next drain.
      if (error instanceof BrowserTimeoutError && sameSession() !== null)
        db.close({ disableAutoOpen: false });
      // If the database was closed or deleted during the drain, its leases expire.
      return WATCHDOG_MS;
    }
  }

  /** Schedules the next drain even if nothing waits, because a closed tab may leave ops behind. */
  function schedule(lane: Lane, waitMs: number | null): void {
    if (waitMs !== null) requestBackgroundIfDue();
    timers.get(lane)?.();
    const delayMs = Math.min(Math.max(waitMs ?? WATCHDOG_MS, SHORTEST_PAUSE_MS), WATCHDOG_MS);
    timers.set(
      lane,
      clock.setTimeout(() => {
        runInBackground(checkBlocked());
        drain(lane);
      }, delayMs),
    );
  }

  /**
   * Checks the session if a closed tab or the service worker has left ops in `blocked_auth` behind. Meanwhile this tab keeps
   * draining, since the server has rejected none of its requests.
   */
  async function checkBlocked(): Promise<void> {
    const current = session.get();
    if (isCheckingSession || current.status !== 'user' || current.needsLogin) return;
    isCheckingSession = true;
    try {
      const counting = current.db.ops.where('state').equals('blocked_auth').count();
      const blockedCount = await withDatabaseTimeout(clock, counting);
      if (blockedCount > 0) await context.checkSession();
    } finally {
      isCheckingSession = false;
    }
  }

  return {
    drain: (lane) => drain(lane),
    drainAll() {
      for (const lane of LANES) drain(lane);
    },
    drainAllAfterSignal() {
      for (const lane of LANES) drain(lane, { isSignal: true });
    },
    resetLaneBackoff() {
      backoff = noBackoff();
    },
  };
}
