import { atom, useAtomValue } from 'jotai';
import type { UserDb } from '#sync/client/db.ts';
import { sessionAtom } from './engine.ts';

/** The database of the signed-in user; null while there is none. */
export const userDbAtom = atom((get): UserDb | null => {
  const session = get(sessionAtom);
  return session.status === 'user' ? session.db : null;
});

export function useUserDb(): UserDb | null {
  return useAtomValue(userDbAtom);
}
