import { atom } from 'jotai';

/** Whether the user has dismissed the connection card; see `dismissConnectionCard`. */
export const isCardDismissedAtom = atom(false);
