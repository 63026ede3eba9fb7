import type { SearchPage } from '#shared/explore/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { LoggedOutError } from '#sync/client/engine-errors.ts';
import type { Observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { PULL_TIMEOUT_MS, withTimeout } from '#sync/client/timeout.ts';
import {
  type PullContext,
  type PullResult,
  pullActivity,
  pullBlocks,
  pullDeck,
  pullFeed,
  pullMine,
  pullMoreActivity,
  pullMoreDeck,
  pullMoreFeed,
  pullMoreNotifications,
  pullNotifications,
  pullPoll,
  pullSearch,
  pullTrending,
  type SearchQuery,
} from './pull.ts';

/** The context of pulls without the user, who is looked up at the start of each pull. */
export type PullerContext = Omit<PullContext, 'db' | 'userId'> & {
  session: Observable<Session>;
  /** Called when a pull for `userId` ended as `logged_out`. */
  onLoggedOut(userId: number): Promise<void>;
};

export type Puller = ReturnType<typeof createPuller>;

/**
 * Creates the puller of a tab, which loads confirmed data into the cache. Concurrent calls of the same pull share one request,
 * except searches and pulls that have to be newer than a change.
 */
export function createPuller(context: PullerContext) {
  const running = new Map<string, Promise<PullResult>>();
  let searchCount = 0;
  /** The database for which this tab has loaded page 1 of a list, by the name of the pull. */
  const loadedDbs = new Map<string, UserDb>();

  const keyOf = (userId: number, name: string) => `${userId}:${name}`;

  /** Runs a pull, or waits for the running pull of the same name. */
  async function pullShared(
    name: string,
    run: (context: PullContext) => Promise<PullResult>,
  ): Promise<PullResult> {
    const current = context.session.get();
    if (current.status !== 'user') throw new LoggedOutError();
    const userId = current.user.id;
    const key = keyOf(userId, name);
    const runningPull = running.get(key);
    if (runningPull !== undefined) return runningPull;
    const runOnce = (db: UserDb) =>
      withTimeout(context.clock, PULL_TIMEOUT_MS, run({ ...context, db, userId }));
    const started = runOnce(current.db)
      .then(async (result) => {
        if (result !== 'logged_out') return result;
        await context.onLoggedOut(userId);
        // The user may still be logged in: the server was restored or set up from scratch, the session is a new one, or the user's
        // database on this device was emptied or opened again.
        const after = context.session.get();
        const isSame = after.status === 'user' && after.user.id === userId && !after.needsLogin;
        return isSame ? runOnce(after.db) : result;
      })
      .finally(() => running.delete(key));
    running.set(key, started);
    return started;
  }

  /**
   * Runs a pull because of a change on the server. First waits for a running pull of the same name, whose response may be older than
   * the change.
   */
  async function pullAfterChange(
    name: string,
    run: (context: PullContext) => Promise<PullResult>,
  ): Promise<PullResult> {
    const current = context.session.get();
    if (current.status === 'user') await running.get(keyOf(current.user.id, name))?.catch(() => undefined);
    return pullShared(name, run);
  }

  /** Returns `run` with the option whether it is the first pull of this name for the user's database. */
  function withIsFirst(
    name: string,
    run: (context: PullContext, options: { isFirst: boolean }) => Promise<PullResult>,
  ) {
    return async (pullContext: PullContext): Promise<PullResult> => {
      const { db } = pullContext;
      const result = await run(pullContext, { isFirst: loadedDbs.get(name) !== db });
      if (result === 'updated' || result === 'unchanged') loadedDbs.set(name, db);
      return result;
    };
  }
  const feedPull = withIsFirst('feed', pullFeed);
  const activityPull = withIsFirst('activity', pullActivity);
  const notificationsPull = withIsFirst('notifications', pullNotifications);

  return {
    pullFeed: () => pullShared('feed', feedPull),
    pullMoreFeed: () => pullShared('more feed', pullMoreFeed),
    pullTrending: () => pullShared('trending', pullTrending),
    pullBlocks: () => pullShared('blocks', pullBlocks),
    // Waits for a running read, which may be older than the change of points that is the reason for this one.
    pullActivity: () => pullAfterChange('activity', activityPull),
    pullMoreActivity: () => pullShared('more activity', pullMoreActivity),
    // Does not share a request that is already running: the caller may need a deck that is fetched from now on.
    pullDeck: (shown: readonly string[]) =>
      pullAfterChange('deck', (pullContext) => pullDeck(pullContext, shown)),
    pullMoreDeck: () => pullShared('more deck', pullMoreDeck),
    pullNotifications: () => pullShared('notifications', notificationsPull),
    pullChangedNotifications: () => pullAfterChange('notifications', notificationsPull),
    pullMoreNotifications: () => pullShared('more notifications', pullMoreNotifications),
    pullMine: () => pullShared('mine', pullMine),
    pullChangedMine: () => pullAfterChange('mine', pullMine),
    /** Loads a page of search results and caches its polls. Resolves with the page, or with the result of the failed pull. */
    async search(query: SearchQuery): Promise<SearchPage | PullResult> {
      let results: SearchPage | null = null;
      searchCount += 1;
      const result = await pullShared(`search ${searchCount}`, (pullContext) =>
        pullSearch(pullContext, query, (page) => {
          results = page;
        }),
      );
      return results ?? result;
    },
    pullPoll: (pollId: string) =>
      pullShared(`poll:${pollId}`, (pullContext) => pullPoll(pullContext, pollId)),
  };
}
