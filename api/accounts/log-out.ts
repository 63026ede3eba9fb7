import type { Deps } from '#api/deps.ts';
import { closeSession } from '#api/http/session/sessions.ts';

type LogOut = { userId: number | null; sessionToken: string | null };

/** Ends this session, if there is one, with its sockets. */
export async function logOut({ db, live }: Deps, { userId, sessionToken }: LogOut): Promise<void> {
  if (userId === null || sessionToken === null) return;
  await closeSession(db, sessionToken);
  live.publish({ type: 'sessions', userId });
}
