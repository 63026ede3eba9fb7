import { atom } from 'jotai';

/** Whether the connection card is hidden until the connection is back. */
export const isCardDismissedAtom = atom(false);
