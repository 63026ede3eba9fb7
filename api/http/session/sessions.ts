import { and, eq, gt, not, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Batcher, createBatcher } from '#api/db/batcher.ts';
import type { Database, Handle } from '#api/db/client.ts';
import { isOneOf, memoizedQuery } from '#api/db/columns.ts';
import { passkeys } from '#api/db/schema/passkeys.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { daysAgo } from '#api/db/timestamps.ts';
import { type Caller, shortNetwork } from '#api/http/client-address.ts';
import { SESSION_IDLE_TIMEOUT_DAYS, SESSION_MAX_AGE_DAYS, SESSIONS_MAX } from '#shared/accounts/constants.ts';
import { describeDevice } from './device.ts';
import { hashToken, isTokenShaped, newToken } from './secret-tokens.ts';
import { type UserRow, userFields } from './session-user.ts';

/** `last_seen_at` is written at most once in this time, not by every request. */
const LAST_SEEN_STEP_MINUTES = 60;
const SESSIONS_OF_QUERY_MAX = 100;

/** The condition that a session is open, for queries on `sessions` joined with `users`. */
export const IS_OPEN = and(
  gt(sessions.lastSeenAt, daysAgo(SESSION_IDLE_TIMEOUT_DAYS)),
  gt(sessions.createdAt, daysAgo(SESSION_MAX_AGE_DAYS)),
  not(users.isSuspended),
);

/**
 * Opens a session and returns its token (base64url), which is stored nowhere. Null when the user is suspended or does not
 * exist. `passkeyId`: the passkey that was used to open it.
 */
export async function openSession(
  handle: Handle,
  userId: number,
  caller: Caller | null = null,
  passkeyId: string | null = null,
): Promise<string | null> {
  const { device, network } = describeCaller(caller);
  const token = newToken();
  // One statement, so that no suspension can happen in between. With the builder, an insert from a select needs every column.
  const opened = await handle.sql`
    insert into sessions (token_hash, user_id, device, network, passkey_id)
    select ${hashToken(token)}, id, ${device}, ${network}, ${passkeyId}::uuid
    from users where id = ${userId} and not is_suspended`;
  return opened.count === 1 ? token : null;
}

/** Ends the least recently used sessions of a user, if there are more than the maximum. */
export async function closeSurplusSessions({ sql: query }: Handle, userId: number): Promise<void> {
  // The builder cannot delete in an order.
  await query`
    delete from sessions where token_hash in (
      select token_hash from sessions where user_id = ${userId}
      order by last_seen_at desc, created_at desc offset ${SESSIONS_MAX} for update skip locked
    )`;
}

/** What is stored about a caller, by which the user recognises the session. */
function describeCaller(caller: Caller | null): { device: string; network: string } {
  if (caller === null) return { device: '', network: '' };
  return { device: describeDevice(caller.userAgent ?? ''), network: shortNetwork(caller.client) };
}

const IS_LONG_UNSEEN = sql<boolean>`
  ${sessions.lastSeenAt} < now() - make_interval(mins => ${LAST_SEEN_STEP_MINUTES})`;

const sessionUsers = memoizedQuery((orm) =>
  orm
    .select({
      tokenHash: sessions.tokenHash,
      ...userFields,
      isLongUnseen: IS_LONG_UNSEEN,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    // The subquery hides the number of sessions from the planner. Otherwise PostgreSQL would plan each query for few sessions anew,
    // since its generic plan assumes ten and seems more expensive
    // (https://www.postgresql.org/docs/current/sql-prepare.html#SQL-PREPARE-NOTES).
    // The inner cast is done once. The outer one changes nothing, but without it `any` would search the rows of the subquery.
    .where(
      and(
        sql`${sessions.tokenHash} = any((select ${sql.placeholder('tokenHashes')}::text[])::text[])`,
        IS_OPEN,
      ),
    )
    .prepare('session users'),
);

/** `caller` is a function, since reading the headers takes time: it is called only when the use is stored. */
type SessionUse = { token: string; caller: () => Caller };

/**
 * Reads the user of an open session by its token; null for any other token. Now and then stores when and from where it is used.
 */
export type SessionReader = Batcher<SessionUse, UserRow | null>;

/**
 * Creates a reader that reads the sessions of concurrent requests in one query. Neither the requests nor the query wait for the
 * last use of a session to be stored, and they succeed even if it cannot be.
 */
export function createSessionReader(db: Database, log: Logger): SessionReader {
  const onUsed: OnUsed = (tokenHash, caller) =>
    storeUse(db, tokenHash, caller).catch((err) => {
      db.noticeError(err);
      log.warn({ err }, 'The last use of a session could not be stored');
    });
  return createBatcher((uses) => db.dedicated.reads((handle) => findSessionUsers(handle, uses, onUsed)), {
    size: SESSIONS_OF_QUERY_MAX,
  });
}

type OnUsed = (tokenHash: string, caller: Caller | null) => void;

async function findSessionUsers(
  handle: Handle,
  uses: readonly SessionUse[],
  onUsed: OnUsed,
): Promise<(UserRow | null)[]> {
  const hashes = uses.map(({ token }) => (isTokenShaped(token) ? hashToken(token) : null));
  const tokenHashes = `{${hashes.filter((hash) => hash !== null).join()}}`;
  const usersByHash = new Map<string | null, UserRow>();
  for (const row of await sessionUsers(handle).execute({ tokenHashes })) {
    const { tokenHash, isLongUnseen } = row;
    // The whole row: a copy without these two fields would cost a twentieth of the time of reading the feed.
    usersByHash.set(tokenHash, row);
    if (isLongUnseen) onUsed(tokenHash, uses[hashes.indexOf(tokenHash)]?.caller() ?? null);
  }
  return hashes.map((hash) => usersByHash.get(hash) ?? null);
}

async function storeUse({ orm }: Handle, tokenHash: string, caller: Caller | null): Promise<void> {
  // A locked row is left to a later request, so that the requests of a session do not take up the pool while they wait for it.
  const unlocked = orm
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(and(eq(sessions.tokenHash, tokenHash), IS_LONG_UNSEEN))
    .for('no key update', { skipLocked: true });
  await orm
    .update(sessions)
    .set({ lastSeenAt: sql`now()`, ...describeCaller(caller) })
    .where(eq(sessions.tokenHash, unlocked));
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

/** Whether the user of a session has a passkey, and has used one (or a recovery code) in this session. */
export async function isPasskeyUsed({ orm }: Handle, token: string | null): Promise<boolean> {
  if (token === null) return false;
  const rows = await orm
    .select({ id: passkeys.id })
    .from(sessions)
    .innerJoin(passkeys, eq(passkeys.userId, sessions.userId))
    .where(and(eq(sessions.tokenHash, hashToken(token)), sessions.isPasskeyUsed))
    .limit(1);
  return rows.length > 0;
}

/** Ends a session; unknown tokens are ignored. */
export async function closeSession(handle: Handle, token: string): Promise<void> {
  await handle.orm.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)));
}

export async function closeSessionsOf(handle: Handle, userId: number): Promise<void> {
  await handle.orm.delete(sessions).where(eq(sessions.userId, userId));
}
