import { isAdmin } from '#shared/accounts/rules.ts';
import type { User } from '#shared/accounts/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { sessionState } from './engine.ts';
import { useObservable } from './use-observable.ts';

export function useSession(): Session {
  return useObservable(sessionState);
}

/**
 * The user of this device, also after their session has ended (`needsLogin`); null for visitors and before the session is
 * known.
 */
export function useUser(): User | null {
  const session = useSession();
  return session.status === 'user' ? session.user : null;
}

/** Whether to show admin features; the server checks the rights itself. */
export function useIsAdmin(): boolean {
  const user = useUser();
  return user !== null && isAdmin(user);
}

/** The database of the user that `useUser` returns; null if it returns null. */
export function useUserDb(): UserDb | null {
  const session = useSession();
  return session.status === 'user' ? session.db : null;
}
