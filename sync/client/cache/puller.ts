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
import { type PullContext, pullFeed, pullMine, pullMoreFeed, pullPoll, pullTrending } from './pull.ts';

/** Longer than a request and what it stores take; a pull that does not end must not keep the next one from beginning. */
const PULL_LIMIT_MS = 60_000;

/** Everything of a pull's context but the user, who is looked up at each start. */
export type PullerContext = Omit<PullContext, 'db' | 'userId'> & {
  clock: Clock;
  session: Observable<Session>;
  /** The server took somebody else, or nobody, for `userId`; or their database does not know them any more. */
  onSignedOut(userId: number): Promise<void>;
};

export type Puller = Pick<Engine, 'pullFeed' | 'pullMoreFeed' | 'pullTrending' | 'pullMine' | 'pullPoll'>;

/** The pulls of one tab. Who asks for one that is under way already gets its result. */
export function createPuller(context: PullerContext): Puller {
  const running = new Map<string, Promise<PullResult>>();

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
        // The same user on another server, in a new session, or in a new database: now there is an answer for them.
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
    pullMine: () => pull('mine', pullMine),
    pullPoll: (pollId) => pull(`poll:${pollId}`, (one) => pullPoll(one, pollId)),
  };
}
