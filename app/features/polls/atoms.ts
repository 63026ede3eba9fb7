import { atom } from 'jotai';
import { sessionState } from '#app/lib/engine/engine.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Session } from '#sync/client/session/session-context.ts';

/** The state of loading page 1; `idle` before the first load. */
export type FeedLoadState = 'idle' | 'loading' | 'loaded' | 'failed' | 'unreachable';

/** The database of the user whose feed can be loaded; null when nobody is logged in or the session has ended. */
export function feedUserDb(session: Session = sessionState.get()): UserDb | null {
  return session.status === 'user' && !session.needsLogin ? session.db : null;
}

type FeedLoad = { userDb: UserDb | null; load: FeedLoadState };

/** The state of loading page 1, and the database of the user it belongs to. Read it through `feedLoadStateOf`. */
export const feedLoadStateAtom = atom<FeedLoad>({ userDb: null, load: 'idle' });

/** The state of loading page 1 for the user of `userDb`: `idle` if the last load was for another user. */
export function feedLoadStateOf(lastLoad: FeedLoad, userDb: UserDb | null): FeedLoadState {
  return lastLoad.userDb === userDb ? lastLoad.load : 'idle';
}

/** The database of the user for whom page 1 was loaded last, since the app was started; null before that. */
export const loadedFeedDbAtom = atom<UserDb | null>(null);

/** A constant, since another empty set would cause another read of the polls. */
export const NO_POLLS: ReadonlySet<string> = new Set();

/**
 * The ids of the polls that the user has just reported, or on whose card they have just blocked the maker. Until page 1 is
 * reloaded, a card that says so replaces the poll's card. Other polls of a blocked maker, and polls hidden earlier, have no card.
 */
export const justHiddenAtom = atom(NO_POLLS);

export const isLoadingMoreAtom = atom(false);

/** Whether page 1 was loaded so long ago that it is likely to lack new polls. */
export const isFeedStaleAtom = atom(false);
