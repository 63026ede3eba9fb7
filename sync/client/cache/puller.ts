import type { SearchPage } from '#shared/explore/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Observable } from '#sync/client/observable.ts';
import { withTimeLimit } from '#sync/client/time-limit.ts';
import {
  type Clock,
  type Engine,
  type PullResult,
  type Session,
  SignedOutError,
} from '#sync/client/types.ts';
import {
  type PullContext,
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
} from './pull.ts';

/** Longer than any request with its storing; a pull that never ends must not block later ones. */
const PULL_LIMIT_MS = 60_000;

/** The context of pulls without the user, who is looked up at the start of each. */
export type PullerContext = Omit<PullContext, 'db' | 'userId'> & {
  clock: Clock;
  session: Observable<Session>;
  /** A pull for `userId` ended as `signed_out`. */
  onSignedOut(userId: number): Promise<void>;
};

export type Puller = Pick<
  Engine,
  | 'pullFeed'
  | 'pullMoreFeed'
  | 'pullTrending'
  | 'pullMine'
  | 'pullPoll'
  | 'pullBlocks'
  | 'pullActivity'
  | 'pullMoreActivity'
  | 'pullDeck'
  | 'pullMoreDeck'
  | 'pullNotifications'
  | 'pullMoreNotifications'
  | 'search'
>;

/** The pulls of a tab. Concurrent calls of the same pull share one request. */
export function createPuller(context: PullerContext): Puller {
  const running = new Map<string, Promise<PullResult>>();
  let searches = 0;

  async function pull(name: string, run: (context: PullContext) => Promise<PullResult>): Promise<PullResult> {
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
        await context.onSignedOut(userId);
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
    pullFeed: () => pull('feed', pullFeed),
    pullMoreFeed: () => pull('more', pullMoreFeed),
    pullTrending: () => pull('trending', pullTrending),
    pullBlocks: () => pull('blocks', pullBlocks),
    pullActivity: () => pull('activity', pullActivity),
    pullMoreActivity: () => pull('more activity', pullMoreActivity),
    pullDeck: (shown) => pull('deck', (one) => pullDeck(one, shown)),
    pullMoreDeck: () => pull('more deck', pullMoreDeck),
    pullNotifications: () => pull('notifications', pullNotifications),
    pullMoreNotifications: () => pull('more notifications', pullMoreNotifications),
    pullMine: () => pull('mine', pullMine),
    async search(query) {
      let found: SearchPage | null = null;
      searches += 1;
      const result = await pull(`search ${searches}`, (one) =>
        pullSearch(one, query, (page) => {
          found = page;
        }),
      );
      return found ?? result;
    },
    pullPoll: (pollId) => pull(`poll:${pollId}`, (one) => pullPoll(one, pollId)),
  };
}
