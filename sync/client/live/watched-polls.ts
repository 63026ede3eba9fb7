import { background } from '#sync/client/background.ts';
import { lacksResults } from '#sync/client/cache/cached-news.ts';
import type { CachedPoll } from '#sync/client/db.ts';
import type { Capabilities, PullResult } from '#sync/client/types.ts';

const PULLED_EVERY_MS = 5_000;
/** All who look at a poll hear of a vote in the same moment; their questions are spread over this time. */
const SPREAD_MS = 2_000;

type WatchContext = Pick<Capabilities, 'clock' | 'random'> & {
  /** The poll as this device knows it. */
  read(pollId: string): Promise<CachedPoll | undefined>;
  pull(pollId: string): Promise<PullResult>;
};

/** The polls on the screen, whose results are fetched when they are old. */
export type WatchedPolls = {
  /** Begins to watch a poll; the returned function ends it. */
  watch(pollId: string): () => void;
  /** Looks whether the results of these polls are old; those that nobody watches are left alone. */
  look(pollIds: Iterable<string>): void;
  /** Something may have been missed, the end of a poll for one: fetches whatever is watched. */
  lookAgain(): void;
};

export function createWatchedPolls(context: WatchContext): WatchedPolls {
  const { clock, random } = context;
  const watchers = new Map<string, number>();
  const due = new Set<string>();
  const pulledAt = new Map<string, number>();

  async function lookAt(pollId: string, isOld: (poll: CachedPoll) => boolean): Promise<void> {
    if (!watchers.has(pollId) || due.has(pollId)) return;
    const poll = await context.read(pollId);
    if (poll !== undefined && isOld(poll) && !due.has(pollId)) schedule(pollId);
  }

  function schedule(pollId: string): void {
    due.add(pollId);
    const restMs = Math.max(0, (pulledAt.get(pollId) ?? 0) + PULLED_EVERY_MS - clock.now());
    clock.setTimeout(
      () => {
        due.delete(pollId);
        if (watchers.has(pollId)) background(pull(pollId));
      },
      restMs + random() * SPREAD_MS,
    );
  }

  async function pull(pollId: string): Promise<void> {
    pulledAt.set(pollId, clock.now());
    clock.setTimeout(() => pulledAt.delete(pollId), PULLED_EVERY_MS + SPREAD_MS);
    const result = await context.pull(pollId);
    // Another vote may have been told meanwhile. After a failure the next news or the next socket tries again.
    if (result === 'updated') await lookAt(pollId, lacksResults);
  }

  return {
    watch(pollId) {
      watchers.set(pollId, (watchers.get(pollId) ?? 0) + 1);
      background(lookAt(pollId, lacksResults));
      let isWatching = true;
      return () => {
        if (!isWatching) return;
        isWatching = false;
        const left = (watchers.get(pollId) ?? 1) - 1;
        if (left === 0) watchers.delete(pollId);
        else watchers.set(pollId, left);
      };
    },
    look(pollIds) {
      for (const pollId of pollIds) background(lookAt(pollId, lacksResults));
    },
    lookAgain() {
      for (const pollId of watchers.keys()) background(lookAt(pollId, () => true));
    },
  };
}
