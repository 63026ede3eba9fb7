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
 * A row of `users` without what only registration and login read, and the epoch of the database that it was read from
 * (see `server_state`).
 */
export type UserRow = Omit<typeof users.$inferSelect, 'passwordHash' | 'referredBy'> & { epoch: string };

const { passwordHash, referredBy, ...shown } = getTableColumns(users);

/** The columns of a `UserRow`. */
export const userFields = {
  ...shown,
  epoch: sql<string>`(select ${serverState.epoch} from ${serverState})`,
};

const USER_COLUMNS = columnList(shown);

/** The columns of a `UserRow`, for a `select` or `returning` of tagged SQL on `users`. */
export function userColumns({ sql }: Handle) {
  return sql`${sql.unsafe(USER_COLUMNS)}, (select epoch from server_state) as epoch`;
}

/** The user with this id as they are now, or null. */
export async function findUser(handle: Handle, userId: number): Promise<UserRow | null> {
  const [row] = await handle.orm.select(userFields).from(users).where(eq(users.id, userId));
  return row ?? null;
}

/** The user with this id as they are now. Throws `unauthenticated` when the account is gone. */
export async function requireUserRow(handle: Handle, userId: number): Promise<UserRow> {
  const row = await findUser(handle, userId);
  if (row === null) throw new AppError('unauthenticated');
  return row;
}

/**
 * Throws `actor_mismatch` when the database is of another epoch than when `user` was read: it was restored meanwhile,
 * and their session belongs to another history. Throws `unauthenticated` when the account is gone.
 */
export async function requireSameEpoch(handle: Handle, user: UserRow): Promise<UserRow> {
  const now = await requireUserRow(handle, user.id);
  if (now.epoch !== user.epoch) throw new AppError('actor_mismatch');
  return now;
}

/** A user as they see themself: with the epoch of the server, by which a device notices that it was restored. */
export function toOwnUser(row: UserRow): User {
  return { ...toUser(row), epoch: row.epoch };
}

/** A row of `users` in the shape that administrators see. */
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
