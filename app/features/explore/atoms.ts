import { atom } from 'jotai';
import type { SearchSort } from '#shared/explore/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Pass } from './lib/pass.ts';

/** The pass of the user whose database is `userDb`. Another user starts a new pass. */
export const passAtom = atom<{ userDb: UserDb | null; pass: Pass } | null>(null);

/**
 * The loaded pages of a search.
 * - `userDb`: the database of the user who searched
 * - `loadedAtMs`: when the first page was loaded, in milliseconds since 1970
 * - `q`, `sort`: the text and the order of the search
 * - `total`, `hasMoreThanTotal`: see `searchPageSchema`
 */
export type SearchResults = {
  userDb: UserDb;
  loadedAtMs: number;
  q: string;
  sort: SearchSort;
  polls: readonly Poll[];
  total: number;
  hasMoreThanTotal: boolean;
  nextCursor: string | null;
};

/** The results of the last search, shown when the user returns to it. */
export const searchResultsAtom = atom<SearchResults | null>(null);
