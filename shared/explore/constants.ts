export const DECK_PAGE_SIZE = 12;
export const DECK_PAGE_SIZE_MAX = 48;

export const SEARCH_PAGE_SIZE = 24;
export const SEARCH_PAGE_SIZE_MAX = 48;
export const SEARCH_MAX_LENGTH = 200;
/** A search finds and counts up to this many matches. If there are more, `total` is a lower bound (`hasMoreThanTotal`). */
export const SEARCH_TOTAL_MAX = 1_000;
/** `ending`: open polls only, the one that ends first at the top. */
export const SEARCH_SORTS = ['newest', 'votes', 'ending'] as const;
export type SearchSort = (typeof SEARCH_SORTS)[number];
