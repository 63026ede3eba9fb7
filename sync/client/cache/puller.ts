import type { SearchPage } from '#shared/explore/schema.ts';
import type { Clock } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import { SignedOutError } from '#sync/client/engine-errors.ts';
import type { Observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { PULL_LIMIT_MS, withTimeLimit } from '#sync/client/time-limit.ts';
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

/** The context of pulls without the user, who is looked up at the start of each. */
export type PullerContext = Omit<PullContext, 'db' | 'userId'> & {
  clock: Clock;
  session: Observable<Session>;
  /** A pull for `userId` ended as `signed_out`. */
  onLoggedOut(userId: number): Promise<void>;
};

export type Puller = ReturnType<typeof createPuller>;

/** The pulls of a tab: they load what the server has confirmed into the cache. Concurrent calls of the same pull share one request. */
export function createPuller(context: PullerContext) {
  const running = new Map<string, Promise<PullResult>>();
  let searches = 0;

  /** Runs a pull, or waits for the one of the same name that is under way. */
  async function pullShared(
    name: string,
    run: (context: PullContext) => Promise<PullResult>,
  ): Promise<PullResult> {
    const current = context.session.get();
    if (current.status !== 'user') throw new SignedOutError();
    const userId = current.user.id;
    const key = `${userId}:${name}`;
    const underWay = running.get(key);
    if (underWay !== undefined) return underWay;
    const runOnce = (db: UserDb) =>
      withTimeLimit(context.clock, PULL_LIMIT_MS, run({ ...context, db, userId }));
    const started = runOnce(current.db)
      .then(async (result) => {
        if (result !== 'signed_out') return result;
        await context.onLoggedOut(userId);
        // Still logged in: on another server, in a new session, or with a new database.
        const after = context.session.get();
        const isSame = after.status === 'user' && after.user.id === userId && !after.needsLogin;
        return isSame ? runOnce(after.db) : result;
      })
      .finally(() => running.delete(key));
    running.set(key, started);
    return started;
  }

  return {
    pullFeed: () => pullShared('feed', pullFeed),
    pullMoreFeed: () => pullShared('more', pullMoreFeed),
    pullTrending: () => pullShared('trending', pullTrending),
    pullBlocks: () => pullShared('blocks', pullBlocks),
    pullActivity: () => pullShared('activity', pullActivity),
    pullMoreActivity: () => pullShared('more activity', pullMoreActivity),
    pullDeck: (shown: readonly string[]) => pullShared('deck', (one) => pullDeck(one, shown)),
    pullMoreDeck: () => pullShared('more deck', pullMoreDeck),
    pullNotifications: () => pullShared('notifications', pullNotifications),
    pullMoreNotifications: () => pullShared('more notifications', pullMoreNotifications),
    pullMine: () => pullShared('mine', pullMine),
    /** A page of the polls that a search finds, which needs the server; or why there is none. The polls enter the cache. */
    async search(query: SearchQuery): Promise<SearchPage | PullResult> {
      let found: SearchPage | null = null;
      searches += 1;
      const result = await pullShared(`search ${searches}`, (one) =>
        pullSearch(one, query, (page) => {
          found = page;
        }),
      );
      return found ?? result;
    },
    pullPoll: (pollId: string) => pullShared(`poll:${pollId}`, (one) => pullPoll(one, pollId)),
  };
}
