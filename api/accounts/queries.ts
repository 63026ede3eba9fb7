import { and, eq, inArray, or, type SQL, sql, sum } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Handle } from '#api/db/client.ts';
import type { TokenPurpose } from '#api/db/schema/mail.ts';
import { pointEntries } from '#api/db/schema/point-entries.ts';
import { users } from '#api/db/schema/users.ts';
import { AppError } from '#api/errors.ts';
import { toOwnUser, type UserRow, userFields } from '#api/http/session/session-user.ts';
import { findToken, type StoredToken } from '#api/mail/email-tokens.ts';
import { SUSPENSION_EXPLANATION } from '#shared/accounts/constants.ts';
import type { User } from '#shared/accounts/schema.ts';
import { ERROR_MESSAGES } from '#shared/errors.ts';

export type Account = UserRow & { passwordHash: string };

/** The account with this username or email, ignoring case. Usernames have no `@`, so at most one matches. */
export async function findAccount(handle: Handle, usernameOrEmail: string): Promise<Account | null> {
  const [row] = await handle.orm
    .select({ ...userFields, passwordHash: users.passwordHash })
    .from(users)
    .where(
      or(
        equalsIgnoringCase(users.username, usernameOrEmail),
        equalsIgnoringCase(users.email, usernameOrEmail),
      ),
    );
  return row ?? null;
}

/** The detailed error for a suspended account. Only for users who have proved that the account is theirs. */
export function accountSuspended(): AppError {
  return new AppError('suspended', { message: `${ERROR_MESSAGES.suspended} ${SUSPENSION_EXPLANATION}` });
}

/** The user's own account for the API, with the points earned by referrals. */
export async function withReferralPoints(handle: Handle, user: UserRow): Promise<User> {
  const [row] = await sumReferralPoints(handle, user.id);
  return row?.points ? { ...toOwnUser(user), referralPoints: row.points } : toOwnUser(user);
}

export function sumReferralPoints({ orm }: Handle, userId: number) {
  // A literal instead of a parameter, so that the partial index matches.
  return orm
    .select({ points: sum(pointEntries.delta).mapWith(Number) })
    .from(pointEntries)
    .where(and(eq(pointEntries.userId, userId), sql`${pointEntries.reason} = 'referral'`));
}

export async function isUsernameTaken(handle: Handle, username: string): Promise<boolean> {
  const rows = await handle.orm
    .select({ id: users.id })
    .from(users)
    .where(equalsIgnoringCase(users.username, username));
  return rows.length > 0;
}

/**
 * Compares as the unique indexes do. The typed text is lower-cased by `foldCase`: it may have letters beyond ASCII, for which
 * the database's `lower` depends on its locale. The column has no such letters.
 */
function equalsIgnoringCase(column: PgColumn, text: string): SQL {
  return sql`lower(${column}) = ${foldCase(text)}`;
}

/**
 * Lower-cases the ASCII letters of a username or email, which contain no others. Other characters remain, so that `İ` or the
 * Kelvin sign never become ASCII letters.
 */
export function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Locks the row of an account, and returns true, if it still has the password hash that was checked. Then a concurrent change of
 * the password waits for the lock, and will end the session that the caller opens now.
 */
export async function lockIfPasswordUnchanged(
  { orm }: Handle,
  { id, passwordHash }: Account,
): Promise<boolean> {
  const rows = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash)))
    .for('no key update');
  return rows.length > 0;
}

/**
 * Locks a user's row until the end of the transaction and returns it; null if it does not exist. This must be the first lock of
 * every transaction about a user's password or email, so that they cannot deadlock. Only deletions (`lockRelatedRows`) and
 * verifications (`lockUserOfToken`) lock other rows before. A mail is recorded as sent without this lock (see `voidLinks`).
 */
export async function lockUser({ orm }: Handle, userId: number) {
  const [user] = await orm
    .select({
      id: users.id,
      username: users.username,
      email: users.email,
      pendingEmail: users.pendingEmail,
      isVerified: users.isVerified,
      passwordHash: users.passwordHash,
      isAdmin: users.isAdmin,
      isSuspended: users.isSuspended,
      secondStep: users.secondStep,
      deletionDueAt: users.deletionDueAt,
      referredBy: users.referredBy,
      rev: users.rev,
    })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  return user ?? null;
}

/** A user whose row `lockUser` has locked until the end of the transaction. */
export type LockedUser = NonNullable<Awaited<ReturnType<typeof lockUser>>>;

/**
 * Finds an email token, and locks its user with `lockUser`. A verification also credits the referrer, who is locked first: like
 * votes, it locks users in the order of their ids, and a referrer has signed up earlier. Throws `invalid_token`.
 */
export async function lockUserOfToken(
  handle: Handle,
  token: string,
  purpose: TokenPurpose,
): Promise<{ user: LockedUser; storedToken: StoredToken }> {
  const storedToken = await findToken(handle, token, purpose);
  if (storedToken === null) throw new AppError('invalid_token');
  if (purpose === 'verify') await lockReferrerOf(handle, storedToken.userId);
  const user = await lockUser(handle, storedToken.userId);
  // Checked again under the lock: a concurrent use, or a change of the email, may have voided the token.
  if (user === null || (await findToken(handle, token, purpose)) === null)
    throw new AppError('invalid_token');
  return { user, storedToken };
}

async function lockReferrerOf({ orm }: Handle, userId: number): Promise<void> {
  const referrer = orm.select({ id: users.referredBy }).from(users).where(eq(users.id, userId));
  await orm.select({ id: users.id }).from(users).where(inArray(users.id, referrer)).for('no key update');
}
