import { useAtomValue } from 'jotai';
import type { UserDb } from '#sync/client/db.ts';
import { sessionAtom } from './engine.ts';

/** The database of the signed-in user; null while there is none. */
export function useUserDb(): UserDb | null {
  const session = useAtomValue(sessionAtom);
  return session.status === 'user' ? session.db : null;
}
