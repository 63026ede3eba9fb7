import { and, eq, or, type SQL, sql, sum } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Handle } from '#api/db/client.ts';
import { pointEntries } from '#api/db/schema/point-entries.ts';
import { users } from '#api/db/schema/users.ts';
import { toOwnUser, type UserRow, userFields } from '#api/http/session/session-user.ts';
import type { User } from '#shared/accounts/schema.ts';

export type Account = UserRow & { passwordHash: string };

/** The account with this username or email, whatever their case. A username has no `@`, so that no two fit. */
export async function findAccount(handle: Handle, usernameOrEmail: string): Promise<Account | null> {
  const [row] = await handle.orm
    .select({ ...userFields, passwordHash: users.passwordHash })
    .from(users)
    .where(or(isSpelled(users.username, usernameOrEmail), isSpelled(users.email, usernameOrEmail)));
  return row ?? null;
}

/** The user as they see themself, with what their referrals have earned. */
export async function withReferralPoints({ orm }: Handle, user: UserRow): Promise<User> {
  const [row] = await orm
    .select({ points: sum(pointEntries.delta).mapWith(Number) })
    .from(pointEntries)
    .where(and(eq(pointEntries.userId, user.id), eq(pointEntries.reason, 'referral')));
  return row?.points ? { ...toOwnUser(user), referralPoints: row.points } : toOwnUser(user);
}

export async function isUsernameTaken(handle: Handle, username: string): Promise<boolean> {
  const rows = await handle.orm
    .select({ id: users.id })
    .from(users)
    .where(isSpelled(users.username, username));
  return rows.length > 0;
}

/** Whatever the case, as in the unique indexes. */
function isSpelled(column: PgColumn, text: string): SQL {
  return sql`lower(${column}) = lower(${text})`;
}

/**
 * Whether an account is still as it was when its password was checked. Locks its row, so that a change of the
 * password has happened before, or sees the session that is opened now.
 */
export async function isUnchanged({ orm }: Handle, { id, passwordHash }: Account): Promise<boolean> {
  const rows = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash)))
    .for('no key update');
  return rows.length > 0;
}

/**
 * Locks a user's row to the end of the transaction: the first thing in every transaction about passwords,
 * addresses and mailed tokens, so that they never wait for each other in a circle. Null when there is none.
 */
export async function lockUser({ orm }: Handle, userId: number) {
  const [user] = await orm
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  return user ?? null;
}
