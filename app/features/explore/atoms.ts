import { atom } from 'jotai';
import type { UserDb } from '#sync/client/db.ts';
import type { Pass } from './lib/pass.ts';

/** The pass of the user whose database this is; each user starts a new one. */
export const passAtom = atom<{ owner: UserDb | null; pass: Pass } | null>(null);
