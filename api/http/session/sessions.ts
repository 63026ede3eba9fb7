import { and, eq, gt, not, sql } from 'drizzle-orm';
import { type Batcher, createBatcher } from '#api/db/batcher.ts';
import type { Database, Handle } from '#api/db/client.ts';
import { builtOnce, isOneOf } from '#api/db/columns.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { daysAgo } from '#api/db/timestamps.ts';
import { SESSION_IDLE_TIMEOUT_DAYS, SESSION_MAX_AGE_DAYS } from '#shared/accounts/constants.ts';
import { hashToken, isTokenShaped, newToken } from './secret-tokens.ts';
import { type UserRow, userFields } from './session-user.ts';

/** The precision of `last_seen_at`: not every request writes it. */
const LAST_SEEN_STEP_MINUTES = 60;
const SESSIONS_OF_QUERY_MAX = 100;

const IS_OPEN = and(
  gt(sessions.lastSeenAt, daysAgo(SESSION_IDLE_TIMEOUT_DAYS)),
  gt(sessions.createdAt, daysAgo(SESSION_MAX_AGE_DAYS)),
  not(users.isSuspended),
);

/**
 * Opens a session and returns its token (base64url), which is stored nowhere. Null when the user is suspended or does not
 * exist.
 */
export async function openSession(handle: Handle, userId: number): Promise<string | null> {
  const token = newToken();
  // One statement, so that no suspension comes between; the builder's insert from a select needs every column.
  const opened = await handle.sql`
    insert into sessions (token_hash, user_id)
    select ${hashToken(token)}, id from users where id = ${userId} and not is_suspended`;
  return opened.count === 1 ? token : null;
}

const sessionUsers = builtOnce((orm) =>
  orm
    .select({
      tokenHash: sessions.tokenHash,
      user: userFields,
      isLongUnseen: sql<boolean>`
        ${sessions.lastSeenAt} < now() - make_interval(mins => ${LAST_SEEN_STEP_MINUTES})`,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(sql`${sessions.tokenHash} = any(${sql.placeholder('tokenHashes')}::text[])`, IS_OPEN))
    .prepare('session users'),
);

/** Reads the user of an open session by its token; null for any other token. */
export type SessionReader = Batcher<string, UserRow | null>;

/** Reads in one query the sessions of requests that have arrived at the same time. */
export function createSessionReader(db: Database): SessionReader {
  return createBatcher((tokens) => findSessionUsers(db, tokens), { size: SESSIONS_OF_QUERY_MAX });
}

async function findSessionUsers(db: Database, tokens: readonly string[]): Promise<(UserRow | null)[]> {
  const hashes = tokens.map((token) => (isTokenShaped(token) ? hashToken(token) : null));
  const tokenHashes = `{${hashes.filter((hash) => hash !== null).join()}}`;
  const found = new Map<string | null, UserRow>();
  for (const { tokenHash, user, isLongUnseen } of await sessionUsers(db).execute({ tokenHashes })) {
    found.set(tokenHash, user);
    if (!isLongUnseen) continue;
    await db.orm.update(sessions).set({ lastSeenAt: sql`now()` }).where(eq(sessions.tokenHash, tokenHash));
  }
  return hashes.map((hash) => found.get(hash) ?? null);
}

/** The hashes of those sessions that are still open. */
export async function findOpenSessions(
  handle: Handle,
  tokenHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await handle.orm
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(isOneOf(sessions.tokenHash, tokenHashes), IS_OPEN));
  return new Set(rows.map(({ tokenHash }) => tokenHash));
}

/** Ends a session; unknown tokens are ignored. */
export async function closeSession(handle: Handle, token: string): Promise<void> {
  await handle.orm.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)));
}

export async function closeSessionsOf(handle: Handle, userId: number): Promise<void> {
  await handle.orm.delete(sessions).where(eq(sessions.userId, userId));
}
