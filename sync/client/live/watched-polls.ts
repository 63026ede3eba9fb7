import { pollStatus } from '#shared/polls/rules.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';
import { needsResults } from '#sync/client/cache/store-live-updates.ts';
import type { Capabilities } from '#sync/client/capabilities.ts';
import type { CachedPoll } from '#sync/client/db.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';

/** The shortest time between two fetches of a poll. */
const PULL_INTERVAL_MS = 5_000;
/** Jitter that spreads out the requests of all devices that show a poll, which receive a live update at the same time. */
const JITTER_MAX_MS = 2_000;
/** The pause of a poll after a fetch to which the server has responded with an error: until then, nothing causes another. */
const FAILURE_PAUSE_MS = 30_000;

type WatchContext = Pick<Capabilities, 'clock' | 'random'> & {
  /** Reads the cached poll. */
  read(pollId: string): Promise<CachedPoll | undefined>;
  /** Whether live updates about the cached poll may have been missed. */
  isStale(pollId: string): boolean;
  pull(pollId: string): Promise<PullResult>;
  /** The server's time in milliseconds since 1970. */
  serverNow(): number;
};

/** The polls on the screen, whose results are fetched when they are outdated. */
export type WatchedPolls = {
  /** Watches a poll until the returned function is called. */
  watch(pollId: string): () => void;
  /** Fetches those of `pollIds` that are watched and have outdated results or have expired. */
  checkResults(pollIds: Iterable<string>): void;
  /** Fetches every watched poll, because live updates may have been missed. */
  refetchWatched(): void;
};

/** False for a removed poll: it is only in the list of its maker's polls, and not found by its id, even for them. */
function canBeFetched({ removedFor }: CachedPoll): boolean {
  return removedFor === undefined;
}

/** Creates the watched polls of a tab. Each poll is fetched at most once in `PULL_INTERVAL_MS`. */
export function createWatchedPolls(context: WatchContext): WatchedPolls {
  const { clock, random } = context;
  /** The number of watchers of each poll. */
  const watchers = new Map<string, number>();
  /** The polls whose fetch is scheduled, with the functions that cancel it. */
  const scheduled = new Map<string, () => void>();
  /** When each poll was last fetched, in milliseconds since 1970. */
  const pulledAt = new Map<string, number>();

  /** Whether the results of a poll are outdated, or it has expired since it was cached. */
  function isOutdated(poll: CachedPoll): boolean {
    const hasExpired = poll.status === 'active' && pollStatus(poll, context.serverNow()) === 'expired';
    return hasExpired || needsResults(poll);
  }

  /** Schedules a fetch of a watched poll if `needsFetch` is true of the cached poll. */
  async function scheduleIf(pollId: string, needsFetch: (poll: CachedPoll) => boolean): Promise<void> {
    if (!watchers.has(pollId) || scheduled.has(pollId)) return;
    const poll = await context.read(pollId);
    if (poll !== undefined && needsFetch(poll) && !scheduled.has(pollId)) schedule(pollId);
  }

  /** Schedules the next fetch of a poll, instead of the one that may be scheduled. */
  function schedule(pollId: string, pauseMs = 0): void {
    scheduled.get(pollId)?.();
    const allowedAt = (pulledAt.get(pollId) ?? 0) + PULL_INTERVAL_MS;
    const waitMs = hasPassed(allowedAt, clock.now(), PULL_INTERVAL_MS) ? 0 : allowedAt - clock.now();
    const cancel = clock.setTimeout(
      () => {
        scheduled.delete(pollId);
        if (watchers.has(pollId)) runInBackground(pull(pollId));
      },
      Math.max(waitMs, pauseMs) + random() * JITTER_MAX_MS,
    );
    scheduled.set(pollId, cancel);
  }

  async function pull(pollId: string): Promise<void> {
    const startedAt = clock.now();
    pulledAt.set(pollId, startedAt);
    clock.setTimeout(() => pulledAt.get(pollId) === startedAt && pulledAt.delete(pollId), PULL_INTERVAL_MS);
    const result = await context.pull(pollId);
    // If the server could not be reached, the next live update or reconnect tries again.
    if (result === 'failed') schedule(pollId, FAILURE_PAUSE_MS);
    // Another vote may have been cast during the request, or the server may not consider the poll as expired yet.
    if (result === 'updated') await scheduleIf(pollId, isOutdated);
  }

  return {
    watch(pollId) {
      watchers.set(pollId, (watchers.get(pollId) ?? 0) + 1);
      const needsFetch = (poll: CachedPoll) =>
        isOutdated(poll) || (context.isStale(pollId) && canBeFetched(poll));
      runInBackground(scheduleIf(pollId, needsFetch));
      let isWatching = true;
      return () => {
        if (!isWatching) return;
        isWatching = false;
        const remaining = (watchers.get(pollId) ?? 1) - 1;
        if (remaining === 0) watchers.delete(pollId);
        else watchers.set(pollId, remaining);
      };
    },
    checkResults(pollIds) {
      for (const pollId of pollIds) runInBackground(scheduleIf(pollId, isOutdated));
    },
    refetchWatched() {
      for (const pollId of watchers.keys()) runInBackground(scheduleIf(pollId, canBeFetched));
    },
  };
}
