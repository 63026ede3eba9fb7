import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { columnList } from '#api/db/columns.ts';
import { serverState } from '#api/db/schema/server-state.ts';
import { users } from '#api/db/schema/users.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import { AppError } from '#api/errors.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { User } from '#shared/accounts/schema.ts';

/**
 * A row of `users` with the epoch of the database (see `server_state`), but without the password hash and two columns that few
 * queries need.
 */
export type UserRow = Omit<typeof users.$inferSelect, 'passwordHash' | 'referredBy' | 'digestAt'> & {
  epoch: string;
};

/** A user and the token of the session that a request came with. */
export type SessionUser = { userId: number; sessionToken: string };

const { passwordHash, referredBy, digestAt, ...columns } = getTableColumns(users);

/** The fields of a `UserRow`, for a `select` of Drizzle's builder. */
export const userFields = {
  ...columns,
  epoch: sql<string>`(select ${serverState.epoch} from ${serverState})`,
};

const USER_COLUMNS = columnList(columns);

/** The columns of a `UserRow`, for a `select` or `returning` of tagged SQL on `users`. */
export function userColumns({ sql }: Handle) {
  return sql`${sql.unsafe(USER_COLUMNS)}, (select epoch from server_state) as epoch`;
}

/** The current row of a user, or null. */
export async function findUser(handle: Handle, userId: number): Promise<UserRow | null> {
  const [row] = await handle.orm.select(userFields).from(users).where(eq(users.id, userId));
  return row ?? null;
}

/** The current row of a user. Throws `unauthenticated` when the account was deleted. */
export async function requireUserRow(handle: Handle, userId: number): Promise<UserRow> {
  const row = await findUser(handle, userId);
  if (row === null) throw new AppError('unauthenticated');
  return row;
}

/**
 * The current row of `user`. Throws `actor_mismatch` when the database has another epoch than when `user` was read (it was
 * restored from a backup in the meantime), and `unauthenticated` when the account was deleted or suspended.
 */
export async function requireSameEpoch(handle: Handle, user: UserRow): Promise<UserRow> {
  const current = await requireUserRow(handle, user.id);
  if (current.epoch !== user.epoch) throw new AppError('actor_mismatch');
  if (current.isSuspended) throw new AppError('unauthenticated');
  return current;
}

/**
 * A user's own account, including an unconfirmed email, a scheduled deletion, and the epoch, from which a device learns that
 * the server was restored.
 */
export function toOwnUser(row: UserRow): User {
  const { pendingEmail, deletionDueAt, deletionPolls } = row;
  return {
    ...toUser(row),
    ...(pendingEmail === null ? {} : { pendingEmail }),
    ...(deletionDueAt === null || deletionPolls === null
      ? {}
      : { deletion: { dueAt: toIsoDate(deletionDueAt), polls: deletionPolls } }),
    weeklyMail: row.wantsDigest,
    epoch: row.epoch,
  };
}

/** An account as administrators see it. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    points: row.points,
    referralCode: row.referralCode,
    isAdmin: isAdmin(row),
    isSuspended: row.isSuspended,
    isVerified: row.isVerified,
    createdAt: toIsoDate(row.createdAt),
    rev: row.rev,
  };
}
