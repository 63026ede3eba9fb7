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

type WatchContext = Pick<Capabilities, 'clock' | 'random'> & {
  /** Reads the cached poll. */
  read(pollId: string): Promise<CachedPoll | undefined>;
  pull(pollId: string): Promise<PullResult>;
};

/** The polls on the screen, whose results are fetched when they are outdated. */
export type WatchedPolls = {
  /** Watches a poll until the returned function is called. */
  watch(pollId: string): () => void;
  /** Fetches those of `pollIds` that are watched and have outdated results. */
  checkResults(pollIds: Iterable<string>): void;
  /** Fetches every watched poll, because live updates may have been missed. */
  refetchWatched(): void;
};

/** Creates the watched polls of a tab. Each poll is fetched at most once in `PULL_INTERVAL_MS`. */
export function createWatchedPolls(context: WatchContext): WatchedPolls {
  const { clock, random } = context;
  /** The number of watchers of each poll. */
  const watchers = new Map<string, number>();
  /** The polls whose fetch is scheduled. */
  const scheduled = new Set<string>();
  /** When each poll was last fetched, in milliseconds since 1970. */
  const pulledAt = new Map<string, number>();

  /** Schedules a fetch of a watched poll if `needsFetch` is true of the cached poll. */
  async function scheduleIf(pollId: string, needsFetch: (poll: CachedPoll) => boolean): Promise<void> {
    if (!watchers.has(pollId) || scheduled.has(pollId)) return;
    const poll = await context.read(pollId);
    if (poll !== undefined && needsFetch(poll) && !scheduled.has(pollId)) schedule(pollId);
  }

  function schedule(pollId: string): void {
    scheduled.add(pollId);
    const allowedAt = (pulledAt.get(pollId) ?? 0) + PULL_INTERVAL_MS;
    const waitMs = hasPassed(allowedAt, clock.now(), PULL_INTERVAL_MS) ? 0 : allowedAt - clock.now();
    clock.setTimeout(
      () => {
        scheduled.delete(pollId);
        if (watchers.has(pollId)) runInBackground(pull(pollId));
      },
      waitMs + random() * JITTER_MAX_MS,
    );
  }

  async function pull(pollId: string): Promise<void> {
    const startedAt = clock.now();
    pulledAt.set(pollId, startedAt);
    clock.setTimeout(() => pulledAt.get(pollId) === startedAt && pulledAt.delete(pollId), PULL_INTERVAL_MS);
    const result = await context.pull(pollId);
    // Another vote may have been cast during the request. After a failure, the next live update or reconnect tries again.
    if (result === 'updated') await scheduleIf(pollId, needsResults);
  }

  return {
    watch(pollId) {
      watchers.set(pollId, (watchers.get(pollId) ?? 0) + 1);
      runInBackground(scheduleIf(pollId, needsResults));
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
      for (const pollId of pollIds) runInBackground(scheduleIf(pollId, needsResults));
    },
    refetchWatched() {
      // A removed poll is only in the list of its maker's polls: fetched by its id, it is not found, even for its maker.
      const canBeFetched = ({ removedFor }: CachedPoll) => removedFor === undefined;
      for (const pollId of watchers.keys()) runInBackground(scheduleIf(pollId, canBeFetched));
    },
  };
}
