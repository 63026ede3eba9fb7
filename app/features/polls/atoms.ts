import { atom } from 'jotai';

/** How the last load of page 1 went; `idle` before the first one of this visit. */
export type FeedLoad = 'idle' | 'loading' | 'loaded' | 'failed';
export const feedLoadAtom = atom<FeedLoad>('idle');

export const loadingMoreAtom = atom(false);

export const createPollOpenAtom = atom(false);
