import { atom } from 'jotai';
import { hasNewPollsAtom, sessionAtom } from '#app/lib/engine.ts';
import type { UserDb } from '#sync/client/db.ts';

/** How the last load of page 1 went; `idle` before the first one of this visit. */
type FeedLoad = 'idle' | 'loading' | 'loaded' | 'failed' | 'unreachable';

/** Whose feed can be loaded now: nobody's after the session has ended. */
export const feedOwnerAtom = atom((get) => {
  const session = get(sessionAtom);
  return session.status === 'user' && !session.needsLogin ? session.db : null;
});

const lastLoadAtom = atom<{ owner: UserDb | null; load: FeedLoad }>({ owner: null, load: 'idle' });

/** Each user, and each login, begins with `idle`. Written with the owner whose load it was. */
export const feedLoadAtom = atom(
  (get) => {
    const { owner, load } = get(lastLoadAtom);
    return owner === get(feedOwnerAtom) ? load : 'idle';
  },
  (get, set, owner: UserDb | null, load: FeedLoad) => {
    if (owner === get(feedOwnerAtom)) set(lastLoadAtom, { owner, load });
  },
);

export const loadingMoreAtom = atom(false);

/** Whether page 1 was fetched so long ago that it is likely to lack some polls; loading it clears this. */
export const feedIsOldAtom = atom(false);

/** Whether the server may have newer polls than page 1 shows: the dot on Refresh. */
export const mayHaveNewPollsAtom = atom((get) => get(feedIsOldAtom) || get(hasNewPollsAtom));

/** Whether the poll screen found out that its poll is gone, so that there is nothing to share. */
export const shownPollIsGoneAtom = atom(false);
