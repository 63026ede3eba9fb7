import { atom } from 'jotai';
import type { SearchSort } from '#shared/explore/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Pass } from './lib/pass.ts';

/** The pass of the user whose database is `userDb`; each user starts a new one. */
export const passAtom = atom<{ userDb: UserDb | null; pass: Pass } | null>(null);

/**
 * The loaded pages of a search.
 * - `userDb`: the database of the user who searched
 * - `atMs`: when the first page was loaded, in milliseconds since 1970
 */
export type SearchResults = {
  userDb: UserDb;
  atMs: number;
  q: string;
  sort: SearchSort;
  polls: readonly Poll[];
  total: number;
  hasMoreThanTotal: boolean;
  nextCursor: string | null;
};

/** The results of the last search, shown when the user returns to it. */
export const searchResultsAtom = atom<SearchResults | null>(null);
