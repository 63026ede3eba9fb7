import { and, eq, gt, inArray, isNotNull, ne, not, or, type SQL, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import {
  emailTokens,
  type LinkPurpose,
  type MailPurpose,
  mailQueue,
  NOTICE_PURPOSES,
  type NoticePurpose,
  type TokenPurpose,
  type UndoableNotice,
} from '#api/db/schema/mail.ts';
import { users } from '#api/db/schema/users.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { hashToken, isTokenShaped, newToken } from '#api/http/session/secret-tokens.ts';
import {
  RESET_TOKEN_TTL_MINUTES,
  SET_UP_TOKEN_TTL_HOURS,
  UNDO_TOKEN_TTL_DAYS,
  VERIFICATION_TOKEN_TTL_HOURS,
} from '#shared/accounts/constants.ts';
import type { ReportReason } from '#shared/reports/schema.ts';

import type { LeasedMail } from './mail-queue.ts';

const LIFETIME_MINUTES: Readonly<Record<TokenPurpose, number>> = {
  verify: VERIFICATION_TOKEN_TTL_HOURS * 60,
  reset: RESET_TOKEN_TTL_MINUTES,
  'undo-email': UNDO_TOKEN_TTL_DAYS * 24 * 60,
  'undo-passkeys': UNDO_TOKEN_TTL_DAYS * 24 * 60,
};

/** The token that a mail contains. */
const TOKEN_OF: Readonly<Record<LinkPurpose | UndoableNotice, TokenPurpose>> = {
  verify: 'verify',
  reset: 'reset',
  'email-change': 'undo-email',
  'email-changed': 'undo-email',
  'passkey-added': 'undo-passkeys',
  'second-step-on': 'undo-passkeys',
};

/**
 * What goes into a mail: the only copy of its token, or the rule that a poll has broken and whether its maker is suspended. `isVerified`: whether its user has a verified
 * address.
 */
export type LetterContent =
  | { purpose: LinkPurpose | UndoableNotice; token: string; isVerified: boolean }
  | { purpose: NoticePurpose }
  | { purpose: 'removal'; rule: ReportReason; isSuspended: boolean };
export type Letter = { userId: number; email: string } & LetterContent;

/** The letter of one attempt at a mail; null when nobody is to get it. */
export async function prepareLetter(tx: Transaction, mail: LeasedMail): Promise<Letter | null> {
  const { purpose, userId, email } = mail;
  if (purpose === 'digest') return null;
  if (purpose === 'removal') return prepareRemoval(tx, mail);
  if (!isNotice(purpose) || (mail.isUndoable && isUndoable(purpose))) return prepareLink(tx, mail, purpose);
  return userId === null || email === null ? null : { userId, email, purpose };
}

function isNotice(purpose: LinkPurpose | NoticePurpose): purpose is NoticePurpose {
  return NOTICE_PURPOSES.some((each) => each === purpose);
}

function isUndoable(purpose: NoticePurpose): purpose is UndoableNotice {
  return purpose in TOKEN_OF;
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
 * Makes the token of one attempt at a mail. Null when nobody is to get the mail: the address is no one's, or is
 * confirmed already, or the mail was taken back meanwhile.
 */
async function prepareLink(
  tx: Transaction,
  mail: LeasedMail,
  purpose: LinkPurpose | UndoableNotice,
): Promise<Letter | null> {
  // The user's row comes first in every transaction about tokens: a change of the address waits, or has happened.
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
  const ours = await tx.orm
    .update(mailQueue)
    .set({ userId: user.id })
    .where(and(eq(mailQueue.id, mail.id), eq(mailQueue.lease, mail.lease)));
  if (ours.count === 0) return null;

  const email = addressOf(mail, user);
  const token = newToken();
  await tx.orm.insert(emailTokens).values({
    tokenHash: hashToken(token),
    userId: user.id,
    purpose: TOKEN_OF[purpose],
    email,
    mailId: mail.id,
    createdAt: mail.createdAt,
    expiresAt: sql`now() + make_interval(mins => ${LIFETIME_MINUTES[TOKEN_OF[purpose]]})`,
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

/** No mail has this id. */
const NOT_MAILED_ID = 0;

/**
 * Makes the token of a link, sent by no mail, that sets the password of the user who meets `condition`, and voids the older
 * ones; null without such a user.
 */
export async function createSetUpToken({ orm }: Handle, condition: SQL | undefined): Promise<string | null> {
  const [user] = await orm.select({ id: users.id, email: users.email }).from(users).where(condition);
  if (user === undefined) return null;
  const token = newToken();
  await orm
    .delete(emailTokens)
    .where(and(eq(emailTokens.userId, user.id), eq(emailTokens.mailId, NOT_MAILED_ID)));
  await orm.insert(emailTokens).values({
    tokenHash: hashToken(token),
    userId: user.id,
    purpose: 'reset',
    email: user.email,
    mailId: NOT_MAILED_ID,
    expiresAt: sql`now() + make_interval(hours => ${SET_UP_TOKEN_TTL_HOURS})`,
  });
  return token;
}

/** Forgets a token that certainly reached nobody. */
export async function discardToken({ orm }: Handle, token: string): Promise<void> {
  await orm.delete(emailTokens).where(eq(emailTokens.tokenHash, hashToken(token)));
}

/** Voids the links of a letter's kind that the user was sent in other mails. A link that undoes a change stays. */
export async function voidOlderTokens(
  { orm }: Handle,
  letter: { userId: number; purpose: MailPurpose },
  mailId: number,
): Promise<void> {
  const { userId, purpose } = letter;
  if (purpose !== 'verify' && purpose !== 'reset') return;
  await orm
    .delete(emailTokens)
    .where(
      and(eq(emailTokens.userId, userId), eq(emailTokens.purpose, purpose), ne(emailTokens.mailId, mailId)),
    );
}

/** Voids the links of one purpose that the user has been sent. */
export async function voidTokens({ orm }: Handle, userId: number, purpose: TokenPurpose): Promise<void> {
  await orm.delete(emailTokens).where(and(eq(emailTokens.userId, userId), eq(emailTokens.purpose, purpose)));
}

/** Voids the links that undo later changes than the one with `token`: they lead to addresses that this one takes away. */
export async function voidLaterUndos({ orm }: Handle, { userId, email, mailId }: FoundToken): Promise<void> {
  await orm
    .delete(emailTokens)
    .where(
      and(
        eq(emailTokens.userId, userId),
        inArray(emailTokens.purpose, ['undo-email', 'undo-passkeys']),
        gt(emailTokens.mailId, mailId),
        ne(emailTokens.email, email),
      ),
    );
}

/**
 * When the first of the changes to passkeys or the second step was made that the address of a token can undo now, that of the
 * token among them. A link that is still to be sent counts, too.
 */
export async function firstUndoable({ sql }: Handle, { userId, email }: FoundToken): Promise<string> {
  // Tagged SQL: one minimum of two tables, as precise as the times themselves.
  const [first] = await sql<[{ at: string }]>`
    select min(created_at)::text as at from (
      select created_at from email_tokens
      where user_id = ${userId} and purpose = 'undo-passkeys' and email = ${email} and expires_at > now()
      union all
      select created_at from mail_queue
      where user_id = ${userId} and is_undoable and email = ${email}
        and created_at > now() - make_interval(days => ${UNDO_TOKEN_TTL_DAYS})) as changes`;
  return first.at;
}

/** Voids the links to an address that undo changes to passkeys or the second step, sent or queued. */
export async function voidPasskeyUndos({ orm }: Handle, { userId, email }: FoundToken): Promise<void> {
  const isQueued = and(eq(mailQueue.userId, userId), mailQueue.isUndoable, eq(mailQueue.email, email));
  await orm.delete(mailQueue).where(isQueued);
  const isTheirs = and(eq(emailTokens.userId, userId), eq(emailTokens.email, email));
  await orm.delete(emailTokens).where(and(isTheirs, eq(emailTokens.purpose, 'undo-passkeys')));
}

export type FoundToken = Pick<typeof emailTokens.$inferSelect, 'userId' | 'email' | 'mailId' | 'createdAt'>;

/** The address that the user of a token must have, beside the token: a reset goes to theirs, a verification may go to the next. */
const IS_CURRENT: Readonly<Record<TokenPurpose, SQL | undefined>> = {
  verify: or(eq(users.email, emailTokens.email), eq(users.pendingEmail, emailTokens.email)),
  reset: eq(users.email, emailTokens.email),
  'undo-email': undefined,
  'undo-passkeys': undefined,
};

/** A token of this purpose that has neither expired nor lost its meaning; null for any other. */
export async function findToken(
  { orm }: Handle,
  token: string,
  purpose: TokenPurpose,
): Promise<FoundToken | null> {
  if (!isTokenShaped(token)) return null;
  const [row] = await orm
    .select({
      userId: emailTokens.userId,
      email: emailTokens.email,
      mailId: emailTokens.mailId,
      createdAt: emailTokens.createdAt,
    })
    .from(emailTokens)
    .innerJoin(users, and(eq(users.id, emailTokens.userId), IS_CURRENT[purpose]))
    .where(
      and(
        eq(emailTokens.tokenHash, hashToken(token)),
        eq(emailTokens.purpose, purpose),
        gt(emailTokens.expiresAt, sql`now()`),
      ),
    );
  return row ?? null;
}
