import type { Handle } from '#api/db/client.ts';
import { SESSION_IDLE_DAYS, SESSION_MAX_DAYS } from '#shared/accounts/constants.ts';
import { hashToken, isTokenShaped, newToken } from './secret-tokens.ts';
import { type UserRow, userColumns } from './session-user.ts';

/** How exactly it is known when a session was last used: a write for each request would be wasted. */
const LAST_SEEN_STEP_MINUTES = 60;

/**
 * Opens a session of a user who is not suspended and returns its token (base64url), the only copy there is.
 * Null when there is no such user (any more).
 */
export async function openSession(handle: Handle, userId: number): Promise<string | null> {
  const token = newToken();
  const opened = await handle.sql`
    insert into sessions (token_hash, user_id)
    select ${hashToken(token)}, id from users where id = ${userId} and not is_suspended`;
  return opened.count === 1 ? token : null;
}

/** The user of a session that has not run out, as they are now; null for any other token. */
export async function findSessionUser(handle: Handle, token: string): Promise<UserRow | null> {
  if (!isTokenShaped(token)) return null;
  const tokenHash = hashToken(token);
  const [row] = await handle.sql<[(UserRow & { isLongUnseen: boolean })?]>`
    select ${userColumns(handle)},
      sessions.last_seen_at < now() - make_interval(mins => ${LAST_SEEN_STEP_MINUTES}) as "isLongUnseen"
    from sessions join users on users.id = sessions.user_id
    where sessions.token_hash = ${tokenHash} and ${isOpen(handle)}`;
  if (row === undefined) return null;
  const { isLongUnseen, ...user } = row;
  if (isLongUnseen)
    await handle.sql`update sessions set last_seen_at = now() where token_hash = ${tokenHash}`;
  return user;
}

/** Which of the sessions with these hashes have not ended. */
export async function findOpenSessions(
  handle: Handle,
  tokenHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await handle.sql<{ tokenHash: string }[]>`
    select sessions.token_hash as "tokenHash"
    from sessions join users on users.id = sessions.user_id
    where sessions.token_hash = any(${`{${tokenHashes.join()}}`}::text[]) and ${isOpen(handle)}`;
  return new Set(rows.map(({ tokenHash }) => tokenHash));
}

function isOpen({ sql }: Handle) {
  return sql`
    sessions.last_seen_at > now() - make_interval(days => ${SESSION_IDLE_DAYS})
    and sessions.created_at > now() - make_interval(days => ${SESSION_MAX_DAYS})
    and not users.is_suspended`;
}

/** Ends one session; a token that is none is ignored. */
export async function closeSession(handle: Handle, token: string): Promise<void> {
  await handle.sql`delete from sessions where token_hash = ${hashToken(token)}`;
}

/** Ends every session of a user. */
export async function closeSessionsOf(handle: Handle, userId: number): Promise<void> {
  await handle.sql`delete from sessions where user_id = ${userId}`;
}
