import type { Puller } from '#sync/client/cache/puller.ts';
import { isStale, markAllStale } from '#sync/client/cache/stale-polls.ts';
import {
  findKnownPolls,
  isSending,
  type LiveUpdateBatch,
  storeLiveUpdates,
} from '#sync/client/cache/store-live-updates.ts';
import type { Capabilities } from '#sync/client/capabilities.ts';
import { type Observable, observable } from '#sync/client/observable.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';
import type { ServerClock } from '#sync/client/server-clock.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import type { LiveUpdate } from './live-socket.ts';
import { createWatchedPolls, type WatchedPolls } from './watched-polls.ts';

/**
 * Live updates are collected for this long and stored together, so that the response to this device's own vote is stored before
 * the live update about it. Otherwise the point would briefly count twice, once as confirmed and once as pending.
 */
const BATCH_DELAY_MS = 600;
/**
 * How many times at most storing is postponed while this user's ops are being sent. The limit keeps a long upload from
 * delaying live updates.
 */
const POSTPONED_MAX = 8;
/** Jitter that spreads out the requests of a user's tabs and devices, which all receive a live update at the same time. */
const JITTER_MAX_MS = 2_000;
/** The most unseen polls to remember. It limits the use of memory; a single poll is enough for `hasNewPolls`. */
const UNSEEN_MAX = 100;

/** The functions that process the live updates of a tab, and their result. */
export type LiveUpdates = Pick<Puller, 'pullFeed'> &
  Pick<WatchedPolls, 'checkResults'> & {
    /**
     * Whether there are polls newer than the loaded page 1; `pullFeed` resets this. Live updates never add polls to the list on
     * the screen.
     */
    readonly hasNewPolls: Observable<boolean>;
    /**
     * Watches a poll on the screen: its results are fetched again when they are outdated. Returns the function that stops
     * watching.
     */
    watchPoll(pollId: string): () => void;
    /**
     * To be called when live updates may have been missed: fetches every watched poll, and every other cached one when it is
     * watched next, unless the server has sent it in the meantime.
     */
    refetchWatched(): void;
    /** Processes a live update. */
    handle(update: LiveUpdate): void;
    /** Fetches the notifications after a short random delay, once for all calls during the delay. */
    pullNotificationsSoon(): void;
  };

export type LiveUpdatesContext = Pick<Capabilities, 'clock' | 'random'> & {
  session: Observable<Session>;
  puller: Puller;
  serverClock: Pick<ServerClock, 'now'>;
  /** Fetches the logged-in user. Without a response, nothing changes. */
  checkSession(): Promise<unknown>;
};

/** Creates the functions that collect a tab's live updates and store them in the cache of the user. */
export function createLiveUpdates(context: LiveUpdatesContext): LiveUpdates {
  const { clock, random, session, puller } = context;
  const hasNewPolls = observable(false);
  const unseenIds = new Set<string>();
  let batch: LiveUpdateBatch | null = null;
  /** The user and epoch that the batch belongs to. */
  let batchOwner: string | null = null;

  const currentDb = () => {
    const current = session.get();
    return current.status === 'user' ? current.db : null;
  };
  const watched = createWatchedPolls({
    clock,
    random,
    read: async (pollId) => currentDb()?.polls.get(pollId),
    isStale(pollId) {
      const db = currentDb();
      return db !== null && isStale(db, pollId);
    },
    pull: puller.pullPoll,
    serverNow: context.serverClock.now,
  });

  function updateHasNewPolls(): void {
    if (hasNewPolls.get() !== unseenIds.size > 0) hasNewPolls.set(unseenIds.size > 0);
  }

  // Drops updates when the user or the server's epoch changes: their revisions belong to another user or database history.
  session.subscribe(() => {
    const current = session.get();
    const owner = current.status === 'user' ? `${current.user.id} ${current.user.epoch}` : null;
    if (owner === batchOwner) return;
    batchOwner = owner;
    batch = null;
    unseenIds.clear();
    updateHasNewPolls();
  });

  /** Returns the batch that live updates are added to. If there is none, starts a batch and schedules its storing. */
  function currentBatch(): LiveUpdateBatch {
    if (batch !== null) return batch;
    const started: LiveUpdateBatch = {
      votes: new Map(),
      created: new Set(),
      removed: new Set(),
      points: null,
    };
    batch = started;
    scheduleStoring(started, POSTPONED_MAX);
    return started;
  }

  function scheduleStoring(collected: LiveUpdateBatch, postponementsLeft: number): void {
    clock.setTimeout(() => runInBackground(storeWhenIdle(collected, postponementsLeft)), BATCH_DELAY_MS);
  }

  async function storeWhenIdle(collected: LiveUpdateBatch, postponementsLeft: number): Promise<void> {
    const db = currentDb();
    const isBusy = db !== null && postponementsLeft > 0 && (await isSending(db));
    // The user may have changed in the meantime.
    if (batch !== collected) return;
    if (isBusy) return scheduleStoring(collected, postponementsLeft - 1);
    batch = null;
    await store(collected);
  }

  async function store(updates: LiveUpdateBatch): Promise<void> {
    const current = session.get();
    if (current.status !== 'user') return;
    const owner = batchOwner;
    const { hasNewPoints, hasLostOwnPoll } = await storeLiveUpdates(current.db, current.user, updates);
    if (hasNewPoints) scheduleUserCheck();
    if (hasLostOwnPoll) runInBackground(puller.pullChangedMine());
    const knownIds = await findKnownPolls(current.db, [...updates.created]);
    // The user or the epoch may have changed in the meantime.
    if (batchOwner !== owner) return;
    for (const id of updates.created) if (!knownIds.has(id) && unseenIds.size < UNSEEN_MAX) unseenIds.add(id);
    for (const id of updates.removed) unseenIds.delete(id);
    updateHasNewPolls();
    watched.checkResults(updates.votes.keys());
  }

  /** Returns a function that runs `work` after a random delay, if a user is logged in. Calls during the delay are coalesced. */
  function coalesced(work: () => Promise<unknown>): () => void {
    let isScheduled = false;
    return () => {
      if (isScheduled) return;
      isScheduled = true;
      clock.setTimeout(() => {
        isScheduled = false;
        if (session.get().status === 'user') runInBackground(work());
      }, random() * JITTER_MAX_MS);
    };
  }

  /** Fetches the user: a live update has only the total of the points; `referralPoints` may have changed with it. */
  const scheduleUserCheck = coalesced(() => context.checkSession());
  const pullNotificationsSoon = coalesced(() => puller.pullChangedNotifications());

  return {
    hasNewPolls,
    pullNotificationsSoon,
    watchPoll: watched.watch,
    checkResults: watched.checkResults,
    refetchWatched() {
      const db = currentDb();
      if (db !== null) runInBackground(markAllStale(db, clock.now()));
      watched.refetchWatched();
    },
    handle(update) {
      if (update.type === 'notifications') return pullNotificationsSoon();
      const collected = currentBatch();
      const { votes, created, removed } = collected;
      switch (update.type) {
        case 'poll.votes':
          if ((votes.get(update.id)?.rev ?? 0) < update.rev) votes.set(update.id, update);
          break;
        case 'poll.created':
          // Also sent when a removed poll is shown again.
          removed.delete(update.id);
          created.add(update.id);
          break;
        case 'poll.removed':
          created.delete(update.id);
          removed.add(update.id);
          break;
        case 'user':
          if ((collected.points?.rev ?? 0) < update.rev) collected.points = update;
          break;
      }
    },
    async pullFeed() {
      const unseenIdsBefore = [...unseenIds];
      const result = await puller.pullFeed();
      const db = currentDb();
      if (db === null || (result !== 'updated' && result !== 'unchanged')) return result;
      // The response may contain polls whose live updates arrived during the request.
      const knownIds = await findKnownPolls(db, [...unseenIds]);
      for (const id of [...unseenIdsBefore, ...knownIds]) unseenIds.delete(id);
      updateHasNewPolls();
      return result;
    },
  };
}
