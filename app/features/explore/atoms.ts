import { atom } from 'jotai';
import type { SearchSort } from '#shared/explore/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Pass } from './lib/pass.ts';

/** The pass of the user whose database this is; each user starts a new one. */
export const passAtom = atom<{ owner: UserDb | null; pass: Pass } | null>(null);

/** The pages of a search that were loaded at `atMs`, and whose search it was. */
export type Found = {
  owner: UserDb;
  atMs: number;
  q: string;
  sort: SearchSort;
  polls: readonly Poll[];
  total: number;
  hasMoreThanTotal: boolean;
  nextCursor: string | null;
};

/** What the last search has found, for when one comes back to it. */
export const foundAtom = atom<Found | null>(null);
