import { and, desc, eq, ne } from 'drizzle-orm';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import type { SessionUser } from '#api/http/session/session-user.ts';
import { IS_OPEN } from '#api/http/session/sessions.ts';
import { SESSIONS_MAX } from '#shared/accounts/constants.ts';
import type { Session } from '#shared/accounts/schema.ts';

/** The open sessions of a user: first the session of `sessionToken`, then the others, most recently used first. */
export async function listSessions(
  { db }: Pick<Deps, 'db'>,
  { userId, sessionToken }: SessionUser,
): Promise<Session[]> {
  const currentHash = hashToken(sessionToken);
  const isCurrent = eq(sessions.tokenHash, currentHash);
  const rows = await db.orm
    .select({
      id: sessions.id,
      tokenHash: sessions.tokenHash,
      device: sessions.device,
      network: sessions.network,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.userId, userId), IS_OPEN))
    .orderBy(desc(isCurrent), desc(sessions.lastSeenAt), sessions.id)
    .limit(SESSIONS_MAX);
  return rows.map(({ tokenHash, createdAt, lastSeenAt, ...session }) => ({
    ...session,
    createdAt: toIsoDate(createdAt),
    lastUsedAt: toIsoDate(lastSeenAt),
    current: tokenHash === currentHash,
  }));
}

/**
 * Ends a session of the user and closes its sockets. Returns whether it was the session of `sessionToken`. Throws `not_found`
 * if the user has no such session.
 */
export async function endSession(
  { db, live }: Pick<Deps, 'db' | 'live'>,
  { userId, sessionToken }: SessionUser,
  id: string,
): Promise<boolean> {
  const [ended] = await db.orm
    .delete(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
    .returning({ tokenHash: sessions.tokenHash });
  if (ended === undefined) throw new AppError('not_found', { message: 'This session has already ended.' });
  live.publish({ type: 'sessions', userId });
  return ended.tokenHash === hashToken(sessionToken);
}

/** Ends every session of the user except that of `sessionToken`, and closes their sockets. */
export async function endOtherSessions(
  { db, live }: Pick<Deps, 'db' | 'live'>,
  { userId, sessionToken }: SessionUser,
): Promise<void> {
  await db.orm
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), ne(sessions.tokenHash, hashToken(sessionToken))));
  live.publish({ type: 'sessions', userId });
}
