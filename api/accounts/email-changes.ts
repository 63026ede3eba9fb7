import { and, eq, gt, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { isUniqueViolation } from '#api/db/database-error.ts';
import { EMAIL_CHANGE_PURPOSES, emailTokens, mailQueue } from '#api/db/schema/mail.ts';
import { users } from '#api/db/schema/users.ts';
import { inSavepoint, type Transaction } from '#api/db/transaction.ts';
import { AppError } from '#api/errors.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import { voidLinks, voidTokens } from '#api/mail/email-tokens.ts';
import {
  advanceNotice,
  queueNotice,
  queueVerification,
  unqueueMails,
  withMailDelay,
} from '#api/mail/mail-queue.ts';
import type { LockedUser } from './queries.ts';

/** Delays of the mails of a request, in seconds: of the link that verifies an email, and of the notice to the current one. */
export type MailDelays = { linkDelayS: number; noticeDelayS: number };

/**
 * Stores the new email that a user requests, and queues a notice to the current one. The new email takes effect when its
 * link is opened. Requesting the current email withdraws an earlier request, and then sends a link to the current email if it is
 * unverified. A repeated request sends the link again, but no second notice. Throws `taken`.
 */
export async function requestEmail(
  tx: Transaction,
  user: LockedUser,
  email: string,
  { linkDelayS, noticeDelayS }: MailDelays,
): Promise<void> {
  const pendingEmail = email === user.email ? null : email;
  // There is no request to withdraw.
  if (pendingEmail === null && user.pendingEmail === null) return;
  if (pendingEmail !== user.pendingEmail) {
    if (pendingEmail !== null && (await isEmailTaken(tx, pendingEmail, user.id))) throw new AppError('taken');
    await tx.orm
      .update(users)
      .set({ pendingEmail, rev: sql`${users.rev} + 1` })
      .where(eq(users.id, user.id));
    await voidLinks(tx, user, 'verify');
    if (pendingEmail !== null) await queueRequestNotice(tx, user, noticeDelayS);
  }
  await queueVerification(tx, user.id, linkDelayS);
}

/**
 * Runs `work`, which queues a verification mail to `address`, with the delay of this mail, in seconds: 0 within the limits of
 * user and address, else until the windows of the exceeded limits end.
 */
export function withLinkDelay<Result>(
  { verificationsOfUser, verificationsOfAddress }: Limits,
  userId: number,
  address: string,
  work: (linkDelayS: number) => Promise<Result>,
): Promise<Result> {
  return withMailDelay(verificationsOfUser, userId, (delayOfUserS) =>
    withMailDelay(verificationsOfAddress, address, (delayOfAddressS) =>
      work(Math.max(delayOfUserS, delayOfAddressS)),
    ),
  );
}

/**
 * Replaces a user's email by the requested one, and queues a notice to the former email. If the former email was never
 * verified, the links that were sent to it to undo the change are voided: it may have been mistyped and belong to a stranger, who
 * could take over the account with them. If another user has the new email now, or can still restore it by undoing a change,
 * withdraws the request and returns false.
 */
export async function confirmEmail(tx: Transaction, user: LockedUser, email: string): Promise<boolean> {
  const isStored = await storeEmail(tx, user, email);
  await unqueueMails(tx, user, 'verify');
  if (!isStored) {
    await tx.orm
      .update(users)
      .set({ pendingEmail: null, rev: sql`${users.rev} + 1` })
      .where(eq(users.id, user.id));
    await voidTokens(tx, user.id, 'verify');
    if (!user.isVerified) await queueVerification(tx, user.id);
    return false;
  }
  await voidLinks(tx, user, 'reset');
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
 * Queues the notice of a request, with the link that undoes it. An unverified email gets the link, too. It is voided when the new
 * email is confirmed; until then, whoever reads the mails to the unverified email could request a new password anyway. At most one
 * notice to an unverified email is queued at a time, and covers all requests.
 */
async function queueRequestNotice(tx: Transaction, user: LockedUser, delayS: number): Promise<void> {
  if (!user.isVerified && (await advanceNotice(tx, 'email-change', user, delayS))) return;
  await queueNotice(tx, 'email-change', user, delayS);
}

/**
 * Restores a former email of a user, and withdraws a request for another one. If the email remains unverified, queues a link that
 * verifies it. Throws `taken`.
 */
export async function restoreEmail(tx: Transaction, user: LockedUser, email: string): Promise<void> {
  if (!(await storeEmail(tx, user, email))) throw new AppError('taken');
  await voidLinks(tx, user, 'verify');
  await queueVerification(tx, user.id);
  await voidLinks(tx, user, 'reset');
}

/**
 * Stores the email to which an opened link was sent. A new or a former email becomes verified. The current email, which is stored
 * again when a request is undone, stays verified or unverified. Returns false if another user has the email, or can still restore
 * it by undoing a change.
 */
async function storeEmail(tx: Transaction, user: LockedUser, email: string): Promise<boolean> {
  const isVerified = user.isVerified || user.email !== email;
  try {
    await inSavepoint(tx, async (savepoint) => {
      await savepoint.orm
        .update(users)
        .set({ email, pendingEmail: null, isVerified, rev: sql`${users.rev} + 1` })
        .where(eq(users.id, user.id));
      if (await isEmailReserved(savepoint, email, user.id)) throw new AppError('taken');
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
 * Whether another user can still undo a change from this email to another one. A caller that stores an email must check this
 * after storing it: the unique index on `users.email` makes storing wait for a concurrent change away from this email, and only
 * then is the link that undoes the change visible.
 */
export async function isEmailReserved({ orm }: Handle, email: string, userId: number): Promise<boolean> {
  // The queue first: sending a mail stores its link before the queued row is deleted.
  const queuedUndoLinks = await orm
    .select({ userId: mailQueue.userId })
    .from(mailQueue)
    .where(
      and(
        sql`lower(${mailQueue.email}) = lower(${email})`,
        inArray(mailQueue.purpose, [...EMAIL_CHANGE_PURPOSES]),
        ne(mailQueue.userId, userId),
        isNull(mailQueue.failedAt),
      ),
    )
    .limit(1);
  if (queuedUndoLinks.length > 0) return true;
  const sentUndoLinks = await orm
    .select({ userId: emailTokens.userId })
    .from(emailTokens)
    .where(
      and(
        sql`lower(${emailTokens.email}) = lower(${email})`,
        // A literal instead of a parameter, so that the partial index matches.
        sql`${emailTokens.purpose} = 'undo-email'`,
        ne(emailTokens.userId, userId),
        gt(emailTokens.expiresAt, sql`now()`),
      ),
    )
    .limit(1);
  return sentUndoLinks.length > 0;
}
