import { atom } from 'jotai';

/** Whether the dialog that shares the poll on the screen is open; the header opens it, too. */
export const isShareDialogOpenAtom = atom(false);
