import { atom } from 'jotai';

/** Whether the user has dismissed the connection card, which hides it until the server is reachable again. */
export const isCardDismissedAtom = atom(false);
