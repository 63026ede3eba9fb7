import type { Handle } from '#api/db/client.ts';
import { toOwnUser, type UserRow, userColumns } from '#api/http/session/session-user.ts';
import type { User } from '#shared/accounts/schema.ts';

export type Account = UserRow & { passwordHash: string };

/** The account with this username or email, whatever their case. A username has no `@`, so that no two fit. */
export async function findAccount(handle: Handle, usernameOrEmail: string): Promise<Account | null> {
  const [row] = await handle.sql<[Account?]>`
    select ${userColumns(handle)}, password_hash as "passwordHash" from users
    where lower(username) = lower(${usernameOrEmail}) or lower(email) = lower(${usernameOrEmail})`;
  return row ?? null;
}

/** The user as they see themself, with what their referrals have earned. */
export async function withReferralPoints({ sql }: Handle, user: UserRow): Promise<User> {
  const [row] = await sql<[{ sum: number }]>`
    select coalesce(sum(delta), 0)::int as sum from point_entries
    where user_id = ${user.id} and reason = 'referral'`;
  return row.sum === 0 ? toOwnUser(user) : { ...toOwnUser(user), referralPoints: row.sum };
}

export async function isUsernameTaken(handle: Handle, username: string): Promise<boolean> {
  const rows = await handle.sql`select from users where lower(username) = lower(${username})`;
  return rows.count > 0;
}

/**
 * Whether an account is still as it was when its password was checked. Locks its row, so that a change of the
 * password has happened before, or sees the session that is opened now.
 */
export async function isUnchanged({ sql }: Handle, { id, passwordHash }: Account): Promise<boolean> {
  const rows = await sql`
    select from users where id = ${id} and password_hash = ${passwordHash} for no key update`;
  return rows.count > 0;
}

/**
 * Locks a user's row to the end of the transaction: the first thing in every transaction about passwords,
 * addresses and mailed tokens, so that they never wait for each other in a circle. Null when there is none.
 */
export async function lockUser(
  { sql }: Handle,
  userId: number,
): Promise<{ id: number; email: string } | null> {
  const [user] = await sql<[{ id: number; email: string }?]>`
    select id, email from users where id = ${userId} for no key update`;
  return user ?? null;
}
