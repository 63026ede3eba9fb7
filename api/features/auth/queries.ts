import type { Handle } from '#api/db/client.ts';
import { type UserRow, userColumns } from '#api/services/user-view.ts';

export type Account = UserRow & { passwordHash: string };

/** The account with this username or email, whatever their case. A username has no `@`, so that no two fit. */
export async function findAccount(handle: Handle, usernameOrEmail: string): Promise<Account | null> {
  const [row] = await handle.sql<[Account?]>`
    select ${userColumns(handle)}, password_hash as "passwordHash" from users
    where lower(username) = lower(${usernameOrEmail}) or lower(email) = lower(${usernameOrEmail})`;
  return row ?? null;
}

export async function isUsernameTaken(handle: Handle, username: string): Promise<boolean> {
  const rows = await handle.sql`select from users where lower(username) = lower(${username})`;
  return rows.count > 0;
}
