import { sql } from 'drizzle-orm';
import { check, index, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, instant, literals, messageQueueColumns } from '#api/db/columns.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import { polls } from './polls.ts';
import { userIdColumn, users } from './users.ts';

/**
 * Notices to the address that a requested change of the email will replace, or a confirmed one has replaced. Each has a link
 * that undoes the change.
 */
export const EMAIL_CHANGE_PURPOSES = ['email-change', 'email-changed'] as const;
/** Notices of other changes of an account, without a token unless the row says `isUndoable`. */
export const NOTICE_PURPOSES = [
  'password-changed',
  'username-changed',
  /** Sent to a former email that was never verified, once another one is confirmed. */
  'email-replaced',
  'deletion',
  'passkey-added',
  'passkey-removed',
  'second-step-on',
  'second-step-off',
  'recovery-codes-renewed',
  'recovery-code-used',
] as const;

/** The purposes whose mails always contain a link with a token. */
export type LinkPurpose = 'verify' | 'reset' | (typeof EMAIL_CHANGE_PURPOSES)[number];
export type NoticePurpose = (typeof NOTICE_PURPOSES)[number];
/** Notices with a link that undoes the change, if the address is verified. */
export type UndoableNotice = Extract<NoticePurpose, 'passkey-added' | 'second-step-on'>;
/** All purposes except that of the weekly mail. `removal`: tells a maker that an administrator has removed their poll. */
export const TRANSACTIONAL_PURPOSES = [
  'verify',
  'reset',
  ...EMAIL_CHANGE_PURPOSES,
  ...NOTICE_PURPOSES,
  'removal',
] as const;
export type MailPurpose = (typeof TRANSACTIONAL_PURPOSES)[number] | 'digest';

/**
 * Mails to send, with their recipient and purpose. Tokens are made when a mail is sent, so that none are stored here.
 *
 * A reset has the address that was typed, whether or not it belongs to an account: writing the row takes the same time either
 * way. The account is looked up when the mail is sent. At most one `verify`, one `reset` and one `digest` wait for each
 * recipient, and one `removal` for each poll.
 *
 * The weekly mail (`digest`) goes to the address that the user has when it is sent, a notice to the address that the account had
 * when the notice was queued.
 */
export const mailQueue = pgTable(
  'mail_queue',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    purpose: t.text().$type<MailPurpose>().notNull(),
    userId: t.integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The address of a reset, in lower case, or of a notice; else null. */
    email: t.text(),
    /** For a removal only: the poll, and the rule that it has broken. */
    pollId: t.uuid('poll_id').references(() => polls.id, { onDelete: 'cascade' }),
    rule: t.text().$type<ReportReason>(),
    /** For an `UndoableNotice` only: whether it has the link. */
    isUndoable: t.boolean('is_undoable').notNull().default(false),
    /** The source of the Message-ID, the same for every attempt. */
    messageKey: t.uuid('message_key').notNull().defaultRandom(),
    ...messageQueueColumns(),
  }),
  (table) => [
    index('mail_queue_due').on(table.nextAttemptAt).where(sql`${table.failedAt} is null`),
    index('mail_queue_email').on(sql`lower(${table.email})`),
    index('mail_queue_user').on(table.userId),
    uniqueIndex('mail_queue_one_verify')
      .on(table.userId)
      .where(sql`${table.purpose} = 'verify' and ${table.failedAt} is null`),
    uniqueIndex('mail_queue_one_reset')
      .on(table.email)
      .where(sql`${table.purpose} = 'reset' and ${table.failedAt} is null`),
    uniqueIndex('mail_queue_one_removal')
      .on(table.pollId)
      .where(sql`${table.purpose} = 'removal' and ${table.failedAt} is null`),
    uniqueIndex('mail_queue_one_digest')
      .on(table.userId)
      .where(sql`${table.purpose} = 'digest' and ${table.failedAt} is null`),
    index('mail_queue_poll').on(table.pollId),
    check(
      'mail_queue_recipient',
      sql`(${table.purpose} in ('verify', 'digest') and ${table.userId} is not null and ${table.email} is null)
        or (${table.purpose} = 'reset' and ${table.email} is not null)
        or (${table.purpose} = 'removal' and ${table.userId} is not null and ${table.email} is null
          and ${table.pollId} is not null and ${table.rule} is not null)
        or (${table.purpose} in (${literals(...EMAIL_CHANGE_PURPOSES, ...NOTICE_PURPOSES)})
          and ${table.userId} is not null and ${table.email} is not null)`,
    ),
  ],
);

export type UndoTokenPurpose = 'undo-email' | 'undo-passkeys';
export type TokenPurpose = 'verify' | 'reset' | UndoTokenPurpose;

/**
 * Links sent by mail, or printed for the owner, each for one purpose and one address. Only the SHA-256 (hex) of the token is
 * stored. Each attempt to send a mail has its own token, and all of them are valid, since several attempts may have arrived.
 */
export const emailTokens = pgTable(
  'email_tokens',
  (t) => ({
    tokenHash: t.text('token_hash').primaryKey(),
    userId: userIdColumn(),
    purpose: t.text().$type<TokenPurpose>().notNull(),
    /** The address to which the link was sent. `verify` confirms this address, and an undo restores it. */
    email: t.text().notNull(),
    /** The row of `mail_queue`, which is deleted once the mail is sent; 0 for the owner's link, which is printed. */
    mailId: t.bigint('mail_id', { mode: 'number' }).notNull(),
    /** When the mail was requested. */
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  }),
  (table) => [
    index('email_tokens_user').on(table.userId, table.purpose),
    index('email_tokens_undo').on(sql`lower(${table.email})`).where(sql`${table.purpose} = 'undo-email'`),
    index('email_tokens_expiry').on(table.expiresAt),
    check(
      'email_tokens_purpose',
      sql`${table.purpose} in ('verify', 'reset', 'undo-email', 'undo-passkeys')`,
    ),
  ],
);
