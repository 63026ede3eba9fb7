import { and, eq, ne, not, or, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import { users } from '#api/db/schema/users.ts';
import { AppError } from '#api/errors.ts';
import { findUser, type UserRow, userFields } from '#api/http/session/session-user.ts';
import { findPoll, type ViewedRow } from '#api/polls/poll-rows.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { isProtectedAccount } from '#shared/admin/rules.ts';

/** An account that somebody acts upon, and who. */
export type UserTarget = { userId: number; adminId: number };

/** `isProtectedAccount`, the other way round, as a condition. */
function isUnprotected(adminId: number) {
  return and(not(users.isAdmin), ne(users.id, OWNER_USER_ID), ne(users.id, adminId));
}

/** The user as they are. Throws `not_found`, or `protected_account` for whom this administrator must leave alone. */
export async function requireTarget(handle: Handle, { userId, adminId }: UserTarget): Promise<UserRow> {
  const user = await findUser(handle, userId);
  if (user === null) throw new AppError('not_found', { message: 'User not found.' });
  if (isProtectedAccount(user, adminId)) throw new AppError('protected_account');
  return user;
}

/** Whether a user has the rights of an administrator as of now. Keeps the account until the transaction ends. */
export async function isStillAdmin({ orm }: Handle, userId: number): Promise<boolean> {
  const isAdmin = or(users.isAdmin, eq(users.id, OWNER_USER_ID));
  const found = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isAdmin, not(users.isSuspended)))
    .for('key share');
  return found.length === 1;
}

/** Suspends a user or ends that. Null when there was nothing to change or it may not be. */
export async function setSuspended(
  { orm }: Handle,
  { userId, adminId }: UserTarget,
  isSuspended: boolean,
): Promise<UserRow | null> {
  const [user] = await orm
    .update(users)
    .set({ isSuspended, rev: sql`${users.rev} + 1` })
    .where(and(eq(users.id, userId), ne(users.isSuspended, isSuspended), isUnprotected(adminId)))
    .returning(userFields);
  return user ?? null;
}

/**
 * The user as they are, locked against everything that refers to them until the transaction ends. Throws as
 * `requireTarget` does.
 */
export async function lockTarget(handle: Handle, target: UserTarget): Promise<UserRow> {
  await handle.orm.select({ id: users.id }).from(users).where(eq(users.id, target.userId)).for('update');
  return requireTarget(handle, target);
}

/** Opens a poll to votes or closes it to them. False when it was so already, or is not there. */
export async function setActive({ orm }: Handle, pollId: string, active: boolean): Promise<boolean> {
  const changed = await orm
    .update(polls)
    .set({ active, rev: sql`${polls.rev} + 1` })
    .where(and(eq(polls.id, pollId), ne(polls.active, active)));
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
export async function liftTimeLimit(handle: Handle): Promise<void> {
  // A setting, which is no query.
  await handle.sql`set local statement_timeout = 0`;
}
