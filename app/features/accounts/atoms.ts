import { atom } from 'jotai';

/** Whether the logout dialog is open, which asks what to do with waiting changes. */
export const isLogoutDialogOpenAtom = atom(false);
