import { atom } from 'jotai';

/** True once the person has put the card away, until the trouble is over. */
export const putAwayAtom = atom(false);
