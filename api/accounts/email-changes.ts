import { and, eq, gt, inArray, ne, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { isUniqueViolation } from '#api/db/database-error.ts';
import { emailTokens, mailQueue, UNDO_PURPOSES } from '#api/db/schema/mail.ts';
import { users } from '#api/db/schema/users.ts';
import { inSavepoint, type Transaction } from '#api/db/transaction.ts';
import { AppError } from '#api/errors.ts';
import { voidTokens } from '#api/mail/email-tokens.ts';
import { advanceNotice, queueNotice, queueVerification, unqueueMails } from '#api/mail/mail-queue.ts';
import type { LockedUser } from './queries.ts';

/** The seconds that the mails of a change wait: that with the link to the new address, and the notice to the former one. */
export type MailDelays = { linkS: number; noticeS: number };

/**
 * Notes the address that a locked user wants, and tells their present one. It takes effect when its link is opened. The present
 * address withdraws the wish. Asked for again, the mail with the link is sent again. Throws `taken`.
 */
export async function requestEmail(
  tx: Transaction,
  user: LockedUser,
  email: string,
  { linkS, noticeS }: MailDelays,
): Promise<void> {
  const pendingEmail = email === user.email ? null : email;
  if (pendingEmail !== user.pendingEmail) {
    if (pendingEmail !== null && (await isEmailTaken(tx, pendingEmail, user.id))) throw new AppError('taken');
    await tx.orm
      .update(users)
      .set({ pendingEmail, rev: sql`${users.rev} + 1` })
      .where(eq(users.id, user.id));
    await unqueueMails(tx, user, 'verify');
    await voidTokens(tx, user.id, 'verify');
    if (pendingEmail !== null) await tellOfRequest(tx, user, noticeS);
  }
  if (pendingEmail !== null) await queueVerification(tx, user.id, linkS);
}

/**
 * Puts the address that a locked user was waiting for in force, and tells the former one. One that was never verified can no longer
 * undo the change: it may be mistyped, and a stranger's, whom its link would make the owner of the account. False when the new
 * address is somebody else's by now: then the user keeps theirs and waits no longer.
 */
export async function confirmEmail(tx: Transaction, user: LockedUser, email: string): Promise<boolean> {
  const isOurs = await storeEmail(tx, user, email);
  await unqueueMails(tx, user, 'verify');
  if (!isOurs) {
    await tx.orm
      .update(users)
      .set({ pendingEmail: null, rev: sql`${users.rev} + 1` })
      .where(eq(users.id, user.id));
    await voidTokens(tx, user.id, 'verify');
    return false;
  }
  await unqueueMails(tx, user, 'reset');
  await voidTokens(tx, user.id, 'reset');
  if (user.isVerified) {
    await queueNotice(tx, 'email-changed', user);
  } else {
    await unqueueMails(tx, user, 'email-change');
    await voidTokens(tx, user.id, 'undo-email');
    await queueNotice(tx, 'email-replaced', user);
  }
  return true;
}

/**
 * Queues the notice of a request with the link that undoes it. Of an account without a verified address it goes to that of the sign-up,
 * which can have a new password sent anyway; one that waits there tells of all requests.
 */
async function tellOfRequest(tx: Transaction, user: LockedUser, delayS: number): Promise<void> {
  if (!user.isVerified && (await advanceNotice(tx, 'email-change', user, delayS))) return;
  await queueNotice(tx, 'email-change', user, delayS);
}

/** Gives a locked user back a former address, and withdraws one they were waiting for. Throws `taken`. */
export async function restoreEmail(tx: Transaction, user: LockedUser, email: string): Promise<void> {
  if (!(await storeEmail(tx, user, email))) throw new AppError('taken');
  for (const purpose of ['verify', 'reset'] as const) {
    await unqueueMails(tx, user, purpose);
    await voidTokens(tx, user.id, purpose);
  }
}

/**
 * Makes an address the user's, which is thereby verified if it is another one than before. False when somebody else has it, or can
 * still have it back.
 */
async function storeEmail(tx: Transaction, user: LockedUser, email: string): Promise<boolean> {
  const isVerified = user.isVerified || user.email !== email;
  try {
    await inSavepoint(tx, async (part) => {
      await part.orm
        .update(users)
        .set({ email, pendingEmail: null, isVerified, rev: sql`${users.rev} + 1` })
        .where(eq(users.id, user.id));
      if (await isEmailReserved(part, email, user.id)) throw new AppError('taken');
    });
    return true;
  } catch (error) {
    const isTaken = error instanceof AppError && error.code === 'taken';
    if (!isTaken && !isUniqueViolation(error)) throw error;
    return false;
  }
}

async function isEmailTaken(tx: Transaction, email: string, userId: number): Promise<boolean> {
  const rows = await tx.orm
    .select({ id: users.id })
    .from(users)
    .where(and(sql`lower(${users.email}) = lower(${email})`, ne(users.id, userId)));
  return rows.length > 0 || (await isEmailReserved(tx, email, userId));
}

/**
 * Whether an address is kept for another user, who can still undo a change of it. Somebody who takes it must ask once it is stored: a
 * change that was confirmed at the same time is seen only then.
 */
export async function isEmailReserved({ orm }: Handle, email: string, userId: number): Promise<boolean> {
  const isSent = await orm
    .select({ userId: emailTokens.userId })
    .from(emailTokens)
    .where(
      and(
        sql`lower(${emailTokens.email}) = lower(${email})`,
        // Literally, as in the index.
        sql`${emailTokens.purpose} = 'undo-email'`,
        ne(emailTokens.userId, userId),
        gt(emailTokens.expiresAt, sql`now()`),
      ),
    )
    .limit(1);
  if (isSent.length > 0) return true;
  const isQueued = await orm
    .select({ userId: mailQueue.userId })
    .from(mailQueue)
    .where(
      and(
        sql`lower(${mailQueue.email}) = lower(${email})`,
        inArray(mailQueue.purpose, [...UNDO_PURPOSES]),
        ne(mailQueue.userId, userId),
      ),
    )
    .limit(1);
  return isQueued.length > 0;
}
