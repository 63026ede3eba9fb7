import type { Handle } from '#api/db/client.ts';
import { AppError } from '#api/errors.ts';
import { findUser, type UserRow, userColumns } from '#api/http/session/session-user.ts';
import { findPoll, type ViewedRow } from '#api/polls/poll-rows.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { isProtectedAccount } from '#shared/admin/rules.ts';

/** An account that somebody acts upon, and who. */
export type UserTarget = { userId: number; adminId: number };

/** `isProtectedAccount`, the other way round, as a condition. */
function isUnprotected({ sql }: Handle, adminId: number) {
  return sql`not users.is_admin and users.id <> ${OWNER_USER_ID} and users.id <> ${adminId}`;
}

/** The user as they are. Throws `not_found`, or `protected_account` for whom this administrator must leave alone. */
export async function requireTarget(handle: Handle, { userId, adminId }: UserTarget): Promise<UserRow> {
  const user = await findUser(handle, userId);
  if (user === null) throw new AppError('not_found', { message: 'User not found.' });
  if (isProtectedAccount(user, adminId)) throw new AppError('protected_account');
  return user;
}

/** Whether a user has the rights of an administrator as of now. Keeps the account until the transaction ends. */
export async function isStillAdmin({ sql }: Handle, userId: number): Promise<boolean> {
  const found = await sql`
    select from users where id = ${userId} and (is_admin or id = ${OWNER_USER_ID}) and not is_suspended
    for key share`;
  return found.count === 1;
}

/** Suspends a user or ends that. Null when there was nothing to change or it may not be. */
export async function setSuspended(
  handle: Handle,
  { userId, adminId }: UserTarget,
  isSuspended: boolean,
): Promise<UserRow | null> {
  const [user] = await handle.sql<[UserRow?]>`
    update users set is_suspended = ${isSuspended}, rev = rev + 1
    where id = ${userId} and is_suspended <> ${isSuspended} and ${isUnprotected(handle, adminId)}
    returning ${userColumns(handle)}`;
  return user ?? null;
}

/**
 * The user as they are, locked against everything that refers to them until the transaction ends. Throws as
 * `requireTarget` does.
 */
export async function lockTarget(handle: Handle, target: UserTarget): Promise<UserRow> {
  await handle.sql`select from users where id = ${target.userId} for update`;
  return requireTarget(handle, target);
}

/** Opens a poll to votes or closes it to them. False when it was so already, or is not there. */
export async function setActive({ sql }: Handle, pollId: string, isActive: boolean): Promise<boolean> {
  const changed = await sql`
    update polls set active = ${isActive}, rev = rev + 1 where id = ${pollId} and active <> ${isActive}`;
  return changed.count === 1;
}

export const pollNotFound = () => new AppError('not_found', { message: 'Poll not found.' });

/** The poll with the vote of `viewerId`. Throws `not_found`. */
export async function requirePoll(handle: Handle, pollId: string, viewerId: number): Promise<ViewedRow> {
  const poll = await findPoll(handle, pollId, viewerId);
  if (poll === null) throw pollNotFound();
  return poll;
}

/**
 * Lifts the time limit of statements for this transaction: what a user or a poll leaves behind can be a million rows,
 * which are all changed or none.
 */
export async function liftTimeLimit({ sql }: Handle): Promise<void> {
  await sql`set local statement_timeout = 0`;
}
