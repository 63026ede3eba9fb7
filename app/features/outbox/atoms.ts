import { atom } from 'jotai';
import type { Op } from '#sync/operations/registry.ts';

/** The waiting change that the discard dialog asks about; null while the dialog is closed. */
export const opToDiscardAtom = atom<Op | null>(null);
