import { atom } from 'jotai';

/** Whether the dialog about waiting changes is open, which a log-out shows first. */
export const isLogOutDialogOpenAtom = atom(false);
