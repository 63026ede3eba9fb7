import { and, eq, isNotNull, not, or, type SQL, sql } from 'drizzle-orm';
import {
  emailTokens,
  type LinkPurpose,
  mailQueue,
  NOTICE_PURPOSES,
  type NoticePurpose,
  type TokenPurpose,
  type UndoableNotice,
} from '#api/db/schema/mail.ts';
import { users } from '#api/db/schema/users.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { hashToken, newToken } from '#api/http/session/secret-tokens.ts';
import {
  RESET_TOKEN_TTL_MINUTES,
  UNDO_TOKEN_TTL_DAYS,
  VERIFICATION_TOKEN_TTL_HOURS,
} from '#shared/accounts/constants.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import { type DigestLetter, type DigestSource, prepareDigest } from './digest-mail.ts';
import type { LeasedMail } from './mail-queue.ts';

const LIFETIME_MINUTES: Readonly<Record<TokenPurpose, number>> = {
  verify: VERIFICATION_TOKEN_TTL_HOURS * 60,
  reset: RESET_TOKEN_TTL_MINUTES,
  'undo-email': UNDO_TOKEN_TTL_DAYS * 24 * 60,
  'undo-passkeys': UNDO_TOKEN_TTL_DAYS * 24 * 60,
};

/** The purpose of the token that a mail contains. */
const TOKEN_PURPOSE_OF: Readonly<Record<LinkPurpose | UndoableNotice, TokenPurpose>> = {
  verify: 'verify',
  reset: 'reset',
  'email-change': 'undo-email',
  'email-changed': 'undo-email',
  'passkey-added': 'undo-passkeys',
  'second-step-on': 'undo-passkeys',
};

/**
 * The variable content of all mails but the weekly one: the only copy of the token, or the rule that a poll has broken and whether
 * its maker is suspended. `isVerified`: whether the user's email is verified.
 */
export type LetterContent =
  | { purpose: LinkPurpose | UndoableNotice; token: string; isVerified: boolean }
  | { purpose: NoticePurpose }
  | { purpose: 'removal'; rule: ReportReason; isSuspended: boolean };
/** A mail as prepared for one attempt to send it: its recipient and its variable content. */
export type Letter = ({ userId: number; email: string } & LetterContent) | DigestLetter;

/**
 * Prepares one attempt to send a mail. Null if the mail no longer has a recipient, is about a deletion that was cancelled, or is
 * a weekly mail without content.
 */
export async function prepareLetter(
  tx: Transaction,
  mail: LeasedMail,
  digests: DigestSource | undefined,
): Promise<Letter | null> {
  const { purpose, userId, email } = mail;
  if (purpose === 'digest') return prepareDigest(tx, mail, digests);
  if (purpose === 'removal') return prepareRemoval(tx, mail);
  if (!isNotice(purpose) || (mail.isUndoable && isUndoableNotice(purpose)))
    return prepareLink(tx, mail, purpose);
  if (userId === null || email === null) return null;
  if (purpose === 'deletion' && !(await isDeletionRequested(tx, userId))) return null;
  return { userId, email, purpose };
}

function isNotice(purpose: LinkPurpose | NoticePurpose): purpose is NoticePurpose {
  return NOTICE_PURPOSES.some((noticePurpose) => noticePurpose === purpose);
}

function isUndoableNotice(purpose: NoticePurpose): purpose is UndoableNotice {
  return purpose in TOKEN_PURPOSE_OF;
}

async function isDeletionRequested({ orm }: Transaction, userId: number): Promise<boolean> {
  const isLeaving = and(eq(users.id, userId), isNotNull(users.deletionDueAt));
  return (await orm.select({ id: users.id }).from(users).where(isLeaving)).length > 0;
}

async function prepareRemoval({ orm }: Transaction, { userId, rule }: LeasedMail): Promise<Letter | null> {
  const [user] = await orm
    .select({ email: users.email, isSuspended: users.isSuspended })
    .from(users)
    .where(and(sql`${users.id} = ${userId}`, users.isVerified));
  if (user === undefined || userId === null || rule === null) return null;
  return { userId, purpose: 'removal', rule, ...user };
}

/**
 * Prepares one attempt to send a mail with a link, and stores the link's token. Null if no account has the address of a reset, if
 * the email to be verified is verified already, or if the mail was deleted from the queue or leased by another process in the
 * meantime.
 */
async function prepareLink(
  tx: Transaction,
  mail: LeasedMail,
  purpose: LinkPurpose | UndoableNotice,
): Promise<Letter | null> {
  // Transactions that change an email or use a token lock the user's row first: they wait for this one, or have been committed.
  const [user] = await tx.orm
    .select({
      id: users.id,
      email: users.email,
      pendingEmail: users.pendingEmail,
      isVerified: users.isVerified,
    })
    .from(users)
    .where(isRecipient(mail))
    .for('no key update');
  if (user === undefined) return null;
  // Finds no row if the lease was lost. Stores the user of a reset, so that its row is deleted with the user.
  const leased = await tx.orm
    .update(mailQueue)
    .set({ userId: user.id })
    .where(and(eq(mailQueue.id, mail.id), eq(mailQueue.lease, mail.lease)));
  if (leased.count === 0) return null;

  const email = addressOf(mail, user);
  const token = newToken();
  await tx.orm.insert(emailTokens).values({
    tokenHash: hashToken(token),
    userId: user.id,
    purpose: TOKEN_PURPOSE_OF[purpose],
    email,
    mailId: mail.id,
    createdAt: mail.createdAt,
    expiresAt: sql`now() + make_interval(mins => ${LIFETIME_MINUTES[TOKEN_PURPOSE_OF[purpose]]})`,
  });
  return { userId: user.id, email, purpose, token, isVerified: user.isVerified };
}

function isRecipient({ purpose, userId, email }: LeasedMail): SQL | undefined {
  const isUser = sql`${users.id} = ${userId}`;
  if (purpose === 'verify') return and(isUser, or(not(users.isVerified), isNotNull(users.pendingEmail)));
  return purpose === 'reset' ? sql`lower(${users.email}) = ${email}` : isUser;
}

function addressOf(mail: LeasedMail, user: { email: string; pendingEmail: string | null }): string {
  if (mail.purpose === 'verify') return user.pendingEmail ?? user.email;
  return mail.purpose === 'reset' ? user.email : (mail.email ?? user.email);
}
