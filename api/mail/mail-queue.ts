import { and, eq, gt, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import {
  type MailPurpose,
  mailQueue,
  type NoticePurpose,
  UNDO_PURPOSES,
  type UndoableNotice,
} from '#api/db/schema/mail.ts';
import type { Limit } from '#api/http/limits/limits.ts';
import type { MessageQueue } from '#api/jobs/leases.ts';
import type { ReportReason } from '#shared/reports/schema.ts';

/** The lease is longer than any attempt may take, however long the database is away meanwhile. */
export const MAIL_QUEUE: MessageQueue = {
  table: 'mail_queue',
  endedAt: 'failed_at',
  leaseS: 120,
  columns: `leased.id::int, purpose, user_id as "userId", email, message_key as "messageKey", lease, attempts,
    created_at as "createdAt", rule, is_undoable as "isUndoable"`,
  giveUpAfterDays: 3,
};

/** A mail that is ours to send until its lease ends. */
export type LeasedMail = Pick<
  typeof mailQueue.$inferSelect,
  'id' | 'purpose' | 'userId' | 'email' | 'messageKey' | 'attempts' | 'createdAt' | 'rule' | 'isUndoable'
> & { lease: string };

/**
 * Queues the mail that lets the user confirm their address, or the next one, to go out in `delayS` seconds. Nothing is queued for
 * who is verified and waits for no other address. One that waits already is asked for anew. Call it in the transaction that causes it.
 */
export async function queueVerification({ sql }: Handle, userId: number, delayS = 0): Promise<void> {
  // Tagged SQL: the builder inserts whole rows of a select only.
  await sql`
    insert into mail_queue (purpose, user_id, next_attempt_at)
    select 'verify', id, now() + make_interval(secs => ${delayS}) from users
    where id = ${userId} and (not is_verified or pending_email is not null)
    on conflict (user_id) where purpose = 'verify' and failed_at is null do update set
      next_attempt_at = least(mail_queue.next_attempt_at, excluded.next_attempt_at), created_at = now(),
      message_key = case when mail_queue.lease is null then excluded.message_key else mail_queue.message_key end`;
}

/** Queues the mail with which whoever has this address, if anybody has, can set a new password. */
export async function queueReset({ sql }: Handle, email: string): Promise<void> {
  // Tagged SQL, to be read beside the one above.
  await sql`
    insert into mail_queue (purpose, email) values ('reset', lower(${email}))
    on conflict (email) where purpose = 'reset' and failed_at is null do update set
      next_attempt_at = now(), created_at = now(),
      message_key = case when mail_queue.lease is null then excluded.message_key else mail_queue.message_key end`;
}

/**
 * Queues the mail that tells the maker of a removed poll which rule it has broken, to go out in `delayS` seconds to a verified
 * address only.
 */
export async function queueRemoval(
  { sql }: Handle,
  { userId, pollId, rule, delayS }: { userId: number; pollId: string; rule: ReportReason; delayS: number },
): Promise<void> {
  await sql`
    insert into mail_queue (purpose, user_id, poll_id, rule, next_attempt_at)
    values ('removal', ${userId}, ${pollId}, ${rule}, now() + make_interval(secs => ${delayS}))
    on conflict (poll_id) where purpose = 'removal' and failed_at is null do nothing`;
}

/** Takes back the mail about the removal of a poll. */
export async function unqueueRemoval({ orm }: Handle, pollId: string): Promise<void> {
  await orm.delete(mailQueue).where(and(eq(mailQueue.purpose, 'removal'), eq(mailQueue.pollId, pollId)));
}

/**
 * Queues a notice about a changed credential to the address that the user has now, to go out in `delayS` seconds. Call it in the
 * transaction of the change.
 */
export async function queueNotice(
  { orm }: Handle,
  purpose: NoticePurpose | (typeof UNDO_PURPOSES)[number],
  { id, email }: { id: number; email: string },
  delayS = 0,
): Promise<void> {
  const nextAttemptAt = sql`now() + make_interval(secs => ${delayS})`;
  await orm.insert(mailQueue).values({ purpose, userId: id, email, nextAttemptAt });
}

/** Has a notice that waits for the user go out in `delayS` seconds at the latest. False when none waits, or it is being sent. */
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
 * Queues a notice about a new passkey or the second step, with a link that undoes the change if the address is verified: one that was
 * mistyped at the sign-up belongs to a stranger. Call it in the transaction of the change, whose time the link goes back to.
 */
export async function queueUndoableNotice(
  { orm }: Handle,
  purpose: UndoableNotice,
  { id, email, isVerified }: { id: number; email: string; isVerified: boolean },
): Promise<void> {
  await orm.insert(mailQueue).values({ purpose, userId: id, email, isUndoable: isVerified });
}

/** Takes back notices that would let the user undo later changes than that of the mail `mailId`, except those to `email`. */
export async function unqueueLaterUndos(
  { orm }: Handle,
  { userId, email, mailId }: { userId: number; email: string; mailId: number },
): Promise<void> {
  const isUndo = or(inArray(mailQueue.purpose, [...UNDO_PURPOSES]), mailQueue.isUndoable);
  await orm
    .delete(mailQueue)
    .where(and(eq(mailQueue.userId, userId), isUndo, gt(mailQueue.id, mailId), ne(mailQueue.email, email)));
}

/** Takes back what has not been sent to a user: all of it, or the mails of one purpose. `email`: their address. */
export async function unqueueMails(
  { orm }: Handle,
  { id, email }: { id: number; email: string },
  purpose?: MailPurpose,
): Promise<void> {
  const isResetOfAddress = and(eq(mailQueue.purpose, 'reset'), eq(mailQueue.email, sql`lower(${email})`));
  const isTheirs = or(eq(mailQueue.userId, id), isResetOfAddress);
  const isMeant = purpose === undefined ? undefined : eq(mailQueue.purpose, purpose);
  await orm.delete(mailQueue).where(and(isTheirs, isMeant));
}

/** Removes a mail that was sent, or that nobody is to get. False when it was no longer ours. */
export async function removeMail({ orm }: Handle, { id, lease }: LeasedMail): Promise<boolean> {
  const removed = await orm.delete(mailQueue).where(and(eq(mailQueue.id, id), eq(mailQueue.lease, lease)));
  return removed.count === 1;
}

/**
 * Does `work` with the seconds that its mail to `key` (a user's id, or an address in any case) has to wait to
 * stay within `limit`. When `work` fails there is no mail, and it does not count.
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
