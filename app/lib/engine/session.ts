import { isAdmin } from '#shared/accounts/rules.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Session } from '#sync/client/types.ts';
import { sessionState } from './engine.ts';
import { useObservable } from './use-observable.ts';

/** Who the app belongs to now. */
export function useSession(): Session {
  return useObservable(sessionState);
}

/** Whether the signed-in user has the administrators' rights: for what is shown, the server decides for itself. */
export function useIsAdmin(): boolean {
  const session = useSession();
  return session.status === 'user' && isAdmin(session.user);
}

/** The database of the signed-in user; null while there is none. */
export function useUserDb(): UserDb | null {
  const session = useSession();
  return session.status === 'user' ? session.db : null;
}
