import { atom } from 'jotai';
import { sessionState } from '#app/lib/engine/engine.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Session } from '#sync/client/types.ts';

/** How the last load of page 1 went; `idle` before the first one of this visit. */
export type FeedLoad = 'idle' | 'loading' | 'loaded' | 'failed' | 'unreachable';

/** Whose feed can be loaded now: nobody's after the session has ended. */
export function feedOwner(session: Session = sessionState.get()): UserDb | null {
  return session.status === 'user' && !session.needsLogin ? session.db : null;
}

/** The last load of page 1, and whose it was: each user begins with `idle`. */
export const feedLoadAtom = atom<{ owner: UserDb | null; load: FeedLoad }>({ owner: null, load: 'idle' });

export const loadingMoreAtom = atom(false);

/** Whether page 1 was fetched so long ago that it is likely to lack some polls; loading it clears this. */
export const feedIsOldAtom = atom(false);
