import { atom } from 'jotai';
import type { Op } from '#sync/operations/registry.ts';

/** The waiting change that the person may withdraw, while they are asked. */
export const withdrawAskedAtom = atom<Op | null>(null);
