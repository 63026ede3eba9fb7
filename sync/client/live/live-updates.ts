import { background } from '#sync/client/background.ts';
import type { Puller } from '#sync/client/cache/puller.ts';
import {
  isSending,
  knownPolls,
  type LiveUpdateBatch,
  storeLiveUpdates,
} from '#sync/client/cache/store-live-updates.ts';
import type { Capabilities } from '#sync/client/capabilities.ts';
import { type Observable, observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import type { LiveUpdate } from './live-socket.ts';
import { createWatchedPolls, type WatchedPolls } from './watched-polls.ts';

/**
 * Live updates are collected for this long and stored together. The response to this device's own change is then stored before
 * the update about it; otherwise a point would be counted twice for a moment, as earned and as expected.
 */
const BATCH_DELAY_MS = 600;
/** How often storing is postponed while this user's ops are being sent: not until the end of a long upload. */
const POSTPONED_MAX = 8;
/** Spreads the requests of a user's tabs and devices, which all get the same update. */
const JITTER_MAX_MS = 2_000;
/** Bounds the memory; one is enough for the dot. */
const UNSEEN_MAX = 100;

/** Processes the live updates of a tab. */
export type LiveUpdates = Pick<Puller, 'pullFeed'> &
  Pick<WatchedPolls, 'checkResults' | 'refetchWatched'> & {
    /** Whether there are new polls since the last load of page 1. `pullFeed` clears it; the list never moves by itself. */
    readonly hasNewPolls: Observable<boolean>;
    /**
     * Fetches the results of a poll on the screen again when votes have made them outdated. Returns the function that stops
     * that.
     */
    watchPoll(pollId: string): () => void;
    handle(update: LiveUpdate): void;
    /** Fetches the notifications, a moment later. */
    pullNotificationsSoon(): void;
  };

export type LiveUpdatesContext = Pick<Capabilities, 'clock' | 'random'> & {
  session: Observable<Session>;
  puller: Puller;
  /** Fetches the logged-in user. */
  checkSession(): Promise<void>;
};

/** Collects the live updates of a tab and stores them in the cache of its user. */
export function createLiveUpdates(context: LiveUpdatesContext): LiveUpdates {
  const { clock, random, session, puller } = context;
  const hasNewPolls = observable(false);
  const unseen = new Set<string>();
  let batch: LiveUpdateBatch | null = null;
  let batchOwner: string | null = null;

  const db = () => {
    const current = session.get();
    return current.status === 'user' ? current.db : null;
  };
  const watched = createWatchedPolls({
    clock,
    random,
    read: async (pollId) => db()?.polls.get(pollId),
    pull: puller.pullPoll,
  });

  function updateHasNewPolls(): void {
    if (hasNewPolls.get() !== unseen.size > 0) hasNewPolls.set(unseen.size > 0);
  }

  /** Drops updates when the user or the server's epoch changes: they were for another user, or have revisions of another history. */
  session.subscribe(() => {
    const current = session.get();
    const next = current.status === 'user' ? `${current.user.id} ${current.user.epoch}` : null;
    if (next === batchOwner) return;
    batchOwner = next;
    batch = null;
    unseen.clear();
    updateHasNewPolls();
  });

  function gather(): LiveUpdateBatch {
    if (batch !== null) return batch;
    const started: LiveUpdateBatch = {
      votes: new Map(),
      created: new Set(),
      removed: new Set(),
      points: null,
    };
    batch = started;
    storeLater(started, POSTPONED_MAX);
    return started;
  }

  function storeLater(gathered: LiveUpdateBatch, postponementsLeft: number): void {
    clock.setTimeout(() => background(storeWhenIdle(gathered, postponementsLeft)), BATCH_DELAY_MS);
  }

  async function storeWhenIdle(gathered: LiveUpdateBatch, postponementsLeft: number): Promise<void> {
    const current = db();
    const isBusy = current !== null && postponementsLeft > 0 && (await isSending(current));
    // The user may have changed meanwhile.
    if (batch !== gathered) return;
    if (isBusy) return storeLater(gathered, postponementsLeft - 1);
    batch = null;
    await store(gathered);
  }

  async function store(updates: LiveUpdateBatch): Promise<void> {
    const current = session.get();
    if (current.status !== 'user') return;
    if (await storeLiveUpdates(current.db, current.user.id, updates)) scheduleUserCheck();
    const known = await knownPolls(current.db, [...updates.created]);
    for (const id of updates.created) if (!known.has(id) && unseen.size < UNSEEN_MAX) unseen.add(id);
    for (const id of updates.removed) unseen.delete(id);
    updateHasNewPolls();
    watched.checkResults(updates.votes.keys());
  }

  /** A function that does `work` for a logged-in user after a moment, once for all calls until then. */
  function soon(work: () => Promise<unknown>): () => void {
    let isScheduled = false;
    return () => {
      if (isScheduled) return;
      isScheduled = true;
      clock.setTimeout(() => {
        isScheduled = false;
        if (session.get().status === 'user') background(work());
      }, random() * JITTER_MAX_MS);
    };
  }

  /** The points may come from a referral; only the full user contains the sum of those. */
  const scheduleUserCheck = soon(() => context.checkSession());
  const pullNotificationsSoon = soon(() => puller.pullNotifications());

  return {
    hasNewPolls,
    pullNotificationsSoon,
    watchPoll: watched.watch,
    checkResults: watched.checkResults,
    refetchWatched: watched.refetchWatched,
    handle(update) {
      if (update.type === 'notifications') return pullNotificationsSoon();
      const gathered = gather();
      const { votes, created, removed } = gathered;
      switch (update.type) {
        case 'poll.votes':
          if ((votes.get(update.id)?.rev ?? 0) < update.rev) votes.set(update.id, update);
          break;
        case 'poll.created':
          created.add(update.id);
          break;
        case 'poll.removed':
          created.delete(update.id);
          removed.add(update.id);
          break;
        case 'user':
          if ((gathered.points?.rev ?? 0) < update.rev) gathered.points = update;
          break;
      }
    },
    async pullFeed() {
      const before = [...unseen];
      const result = await puller.pullFeed();
      const current = db();
      if (current === null || (result !== 'updated' && result !== 'unchanged')) return result;
      // Updates that arrived during the request may be in its response.
      const arrived = await knownPolls(current, [...unseen]);
      for (const id of [...before, ...arrived]) unseen.delete(id);
      updateHasNewPolls();
      return result;
    },
  };
}
