import { and, eq, gt, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import {
  EMAIL_CHANGE_PURPOSES,
  type MailPurpose,
  mailQueue,
  type NoticePurpose,
  type UndoableNotice,
} from '#api/db/schema/mail.ts';
import type { Limit } from '#api/http/limits/limits.ts';
import type { MessageQueue } from '#api/jobs/leases.ts';
import type { ReportReason } from '#shared/reports/schema.ts';

/**
 * The lease is longer than sending a mail takes, even if the database is unavailable and the lease cannot be renewed. A mail whose
 * sending cannot be recorded before the lease expires may be sent again. The id is cast to `float8` because the driver returns a
 * `bigint` as a string.
 */
export const MAIL_QUEUE: MessageQueue = {
  table: 'mail_queue',
  endedAt: 'failed_at',
  leaseS: 120,
  columns: `leased.id::float8, purpose, user_id as "userId", email, message_key as "messageKey", lease, attempts,
    created_at as "createdAt", rule, is_undoable as "isUndoable"`,
  giveUpAfterDays: 3,
};

/** A mail that this process has leased. */
export type LeasedMail = Pick<
  typeof mailQueue.$inferSelect,
  'id' | 'purpose' | 'userId' | 'email' | 'messageKey' | 'attempts' | 'createdAt' | 'rule' | 'isUndoable'
> & { lease: string };

/**
 * Queues the mail with the link that verifies the user's email, or the new one that they have requested, to be sent in `delayS`
 * seconds. Does nothing if the email is verified and no new one was requested. If the mail is queued already, it counts as newly
 * requested and is sent at the earlier of both times. Call this in the transaction of the cause.
 *
 * A newly requested mail gets a new Message-ID, since mail programs may hide a second mail with the same ID. During an attempt
 * the ID is kept, so that a retry of the attempt is recognised as the same mail.
 */
export async function queueVerification({ sql }: Handle, userId: number, delayS = 0): Promise<void> {
  // Tagged SQL: the builder's insert from a select needs every column.
  await sql`
    insert into mail_queue (purpose, user_id, next_attempt_at)
    select 'verify', id, now() + make_interval(secs => ${delayS}) from users
    where id = ${userId} and (not is_verified or pending_email is not null)
    on conflict (user_id) where purpose = 'verify' and failed_at is null do update set
      next_attempt_at = least(mail_queue.next_attempt_at, excluded.next_attempt_at), created_at = now(),
      message_key = case when mail_queue.lease is null then excluded.message_key else mail_queue.message_key end`;
}

/** Queues the mail with the link for a new password, whether or not an account has this address. */
export async function queueReset({ sql }: Handle, email: string): Promise<void> {
  // Tagged SQL, so that the `on conflict` is written exactly as in `queueVerification`.
  await sql`
    insert into mail_queue (purpose, email) values ('reset', lower(${email}))
    on conflict (email) where purpose = 'reset' and failed_at is null do update set
      next_attempt_at = now(), created_at = now(),
      message_key = case when mail_queue.lease is null then excluded.message_key else mail_queue.message_key end`;
}

/**
 * Queues the mail that informs the maker of a removed poll which rule it has broken. It is sent in `delayS` seconds, and only
 * to a verified address.
 */
export async function queueRemoval(
  { sql }: Handle,
  { userId, pollId, rule, delayS }: { userId: number; pollId: string; rule: ReportReason; delayS: number },
): Promise<void> {
  // Tagged SQL, since with a parameter in the `where` of `on conflict` PostgreSQL would not recognise the partial index.
  await sql`
    insert into mail_queue (purpose, user_id, poll_id, rule, next_attempt_at)
    values ('removal', ${userId}, ${pollId}, ${rule}, now() + make_interval(secs => ${delayS}))
    on conflict (poll_id) where purpose = 'removal' and failed_at is null do nothing`;
}

/** Deletes the mail about the removal of a poll, unless it has been sent. */
export async function unqueueRemoval({ orm }: Handle, pollId: string): Promise<void> {
  await orm.delete(mailQueue).where(and(eq(mailQueue.purpose, 'removal'), eq(mailQueue.pollId, pollId)));
}

/**
 * Queues a notice about a change of the account to the given address of the user, to be sent in `delayS` seconds. Call this in
 * the transaction of the change.
 */
export async function queueNotice(
  { orm }: Handle,
  purpose: NoticePurpose | (typeof EMAIL_CHANGE_PURPOSES)[number],
  { id, email }: { id: number; email: string },
  delayS = 0,
): Promise<void> {
  const nextAttemptAt = sql`now() + make_interval(secs => ${delayS})`;
  await orm.insert(mailQueue).values({ purpose, userId: id, email, nextAttemptAt });
}

/** Makes a queued notice of the user due in `delayS` seconds at the latest. False if none is queued, or it is being sent. */
export async function advanceNotice(
  { orm }: Handle,
  purpose: MailPurpose,
  { id }: { id: number },
  delayS: number,
): Promise<boolean> {
  const isWaiting = and(isNull(mailQueue.lease), isNull(mailQueue.failedAt));
  const advanced = await orm
    .update(mailQueue)
    .set({
      nextAttemptAt: sql`least(${mailQueue.nextAttemptAt}, now() + make_interval(secs => ${delayS}))`,
    })
    .where(and(eq(mailQueue.userId, id), eq(mailQueue.purpose, purpose), isWaiting));
  return advanced.count > 0;
}

/**
 * Queues a notice about a new passkey or the second step. If the address is verified, it contains a link that undoes the
 * change; an unverified address may have been mistyped and belong to a stranger. Call this in the transaction of the change:
 * the link undoes what has changed since the time of that transaction.
 */
export async function queueUndoableNotice(
  { orm }: Handle,
  purpose: UndoableNotice,
  { id, email, isVerified }: { id: number; email: string; isVerified: boolean },
): Promise<void> {
  await orm.insert(mailQueue).values({ purpose, userId: id, email, isUndoable: isVerified });
}

/** Deletes queued notices with links that undo changes later than that of the mail `mailId`, except those to `email`. */
export async function unqueueLaterUndos(
  { orm }: Handle,
  { userId, email, mailId }: { userId: number; email: string; mailId: number },
): Promise<void> {
  const isUndo = or(inArray(mailQueue.purpose, [...EMAIL_CHANGE_PURPOSES]), mailQueue.isUndoable);
  await orm
    .delete(mailQueue)
    .where(and(eq(mailQueue.userId, userId), isUndo, gt(mailQueue.id, mailId), ne(mailQueue.email, email)));
}

/** Deletes queued mails to a user, also resets that have only this address: all mails, or those of one purpose. */
export async function unqueueMails(
  { orm }: Handle,
  { id, email }: { id: number; email: string },
  purpose?: MailPurpose,
): Promise<void> {
  const isResetToEmail = and(eq(mailQueue.purpose, 'reset'), eq(mailQueue.email, sql`lower(${email})`));
  const isTheirs = or(eq(mailQueue.userId, id), isResetToEmail);
  const hasPurpose = purpose === undefined ? undefined : eq(mailQueue.purpose, purpose);
  await orm.delete(mailQueue).where(and(isTheirs, hasPurpose));
}

/** Makes a mail that has just been released due now if it was requested again after this process had leased it. */
export async function advanceIfRequestedAgain({ orm }: Handle, { id, createdAt }: LeasedMail): Promise<void> {
  await orm
    .update(mailQueue)
    .set({ nextAttemptAt: sql`now()` })
    .where(and(eq(mailQueue.id, id), gt(mailQueue.createdAt, createdAt)));
}

/** Removes a mail that was sent or has no recipient. False if this process no longer holds its lease. */
export async function removeMail({ orm }: Handle, { id, lease }: LeasedMail): Promise<boolean> {
  const removed = await orm.delete(mailQueue).where(and(eq(mailQueue.id, id), eq(mailQueue.lease, lease)));
  return removed.count === 1;
}

/**
 * Runs `work` with the delay of its mail, in seconds, and counts the mail: 0 within `limit`, else until the limit's window ends.
 * `key` is a user's id, or an address (in any letter case). If `work` fails, no mail was queued, and the count is undone.
 */
export async function withMailDelay<Result>(
  limit: Limit,
  key: string | number,
  work: (delayS: number) => Promise<Result>,
): Promise<Result> {
  const { delayS, undo } = await limit.count(typeof key === 'string' ? key.toLowerCase() : key);
  try {
    return await work(delayS);
  } catch (error) {
    await undo();
    throw error;
  }
}
