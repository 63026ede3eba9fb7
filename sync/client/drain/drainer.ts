import { background } from '#sync/client/background.ts';
import type { Observable } from '#sync/client/observable.ts';
import { moveOps } from '#sync/client/outbox/outbox.ts';
import { TimeLimitError } from '#sync/client/time-limit.ts';
import type { Capabilities, DrainContext, Session } from '#sync/client/types.ts';
import { LANES, type Lane } from '#sync/operations/operation.ts';
import { drainLane } from './drain.ts';
import { noTrouble } from './lane-trouble.ts';

/** While somebody is signed in, the queue is looked at at least this often. */
const WATCHDOG_MS = 30_000;
/** The shortest pause between two looks, so that no mistake can make a tab spin. */
const SHORTEST_PAUSE_MS = 50;

/** Everything of a drain's context but the user, who is looked up at each start. */
export type DrainerContext = Omit<DrainContext, 'db' | 'userId' | 'trouble' | 'isSignedIn' | 'onBlocked'> &
  Pick<Capabilities, 'requestBackgroundDrain'> & {
    session: Observable<Session>;
    /** Whether this user is signed in on this device, as the device has it: another tab may have logged them out. */
    isSignedInHere(userId: number): Promise<boolean>;
    /** Another tab has logged the user out. */
    onSignedOutElsewhere(): void;
    onBlocked(userId: number): void;
    /** Asks who is signed in; a server that does not say changes nothing. */
    checkSession(): Promise<unknown>;
  };

/** Decides when this tab drains which lane: one drain a lane at a time, and again when the next op is due. */
export type Drainer = {
  drain(lane: Lane): void;
  drainAll(): void;
  /** Somebody has just logged in: what the lanes met before tells nothing any more. */
  forgetTrouble(): void;
};

type SignedIn = Extract<Session, { status: 'user' }>;

export function createDrainer(context: DrainerContext): Drainer {
  const { clock, session } = context;
  let trouble = noTrouble();
  /** Drains under way and asked for once more, by user and lane: one user's slow upload holds up no other user. */
  const running = new Set<string>();
  const again = new Set<string>();
  const timers = new Map<Lane, () => void>();
  let isAsking = false;
  let backgroundAskedAt = Number.NEGATIVE_INFINITY;

  /** Something waits: should the page be closed before it is sent, the browser wakes the service worker. */
  function askForBackground(): void {
    if (clock.now() - backgroundAskedAt < WATCHDOG_MS) return;
    backgroundAskedAt = clock.now();
    context.requestBackgroundDrain();
  }

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
      if (now.status !== 'user' || now.db !== db || now.needsLogin) return false;
      if (await context.isSignedInHere(userId)) return true;
      context.onSignedOutElsewhere();
      return false;
    };
    try {
      const waitMs = await drainLane({ ...context, db, userId, trouble, isSignedIn, onBlocked }, lane);
      const after = session.get();
      if (after.status !== 'user' || after.db !== db || !after.needsLogin) return waitMs;
      // The session ended under the drain: what it put back waits for the login like the rest.
      await moveOps(db, 'queued', 'blocked_auth');
      return null;
    } catch (error) {
      // A database that does not answer is opened anew for the next look.
      const after = session.get();
      const isInUse = after.status === 'user' && after.db === db;
      if (error instanceof TimeLimitError && isInUse) db.close({ disableAutoOpen: false });
      // The database was closed or lost under the drain: what it had leased is due again later.
      return WATCHDOG_MS;
    }
  }

  /** With nothing waiting too: another tab may leave something behind that it cannot send any more. */
  function schedule(lane: Lane, waitMs: number | null): void {
    if (waitMs !== null) askForBackground();
    timers.get(lane)?.();
    const delayMs = Math.min(Math.max(waitMs ?? WATCHDOG_MS, SHORTEST_PAUSE_MS), WATCHDOG_MS);
    timers.set(
      lane,
      clock.setTimeout(() => {
        background(followBlocked());
        drain(lane);
      }, delayMs),
    );
  }

  /**
   * Asks about what a tab that is gone, or the service worker, has left blocked. Nothing was refused to this tab, so that
   * it goes on as it is until the server says something else.
   */
  async function followBlocked(): Promise<void> {
    const current = session.get();
    if (isAsking || current.status !== 'user' || current.needsLogin) return;
    isAsking = true;
    try {
      const blocked = await current.db.ops.where('state').equals('blocked_auth').count();
      if (blocked > 0) await context.checkSession();
    } finally {
      isAsking = false;
    }
  }

  return {
    drain,
    drainAll() {
      for (const lane of LANES) drain(lane);
    },
    forgetTrouble() {
      trouble = noTrouble();
    },
  };
}
