export const DECK_PAGE_SIZE = 12;
export const DECK_PAGE_SIZE_MAX = 48;

export const SEARCH_PAGE_SIZE = 24;
export const SEARCH_PAGE_SIZE_MAX = 48;
export const SEARCH_MAX_LENGTH = 200;
/** Matches of a search are found and counted up to this number; beyond it `total` is a lower bound (`hasMoreThanTotal`). */
export const SEARCH_TOTAL_MAX = 1_000;
/** `ending`: open polls only, the ones that end first. */
export const SEARCH_SORTS = ['newest', 'votes', 'ending'] as const;
export type SearchSort = (typeof SEARCH_SORTS)[number];
