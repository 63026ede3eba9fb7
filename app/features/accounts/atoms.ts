import { atom } from 'jotai';

/** True while the person decides what becomes of the changes that wait. */
export const logOutAskedAtom = atom(false);
