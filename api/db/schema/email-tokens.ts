import { sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

export type UndoTokenPurpose = 'undo-email' | 'undo-passkeys';
export type TokenPurpose = 'verify' | 'reset' | UndoTokenPurpose;

/**
 * Links sent by mail, or printed for the owner, each for one purpose and one address. Only the SHA-256 (hex) of the token is stored. Each attempt to send
 * a mail has its own token, and all of them are valid, since several attempts may have arrived.
 */
export const emailTokens = pgTable(
  'email_tokens',
  (t) => ({
    tokenHash: t.text('token_hash').primaryKey(),
    userId: t
      .integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    purpose: t.text().$type<TokenPurpose>().notNull(),
    /** Where it was sent: the address that it verifies, or to which an undo leads back. */
    email: t.text().notNull(),
    /** The row of `mail_queue`, which is gone once the mail is sent; 0 for the owner's link, which is printed. */
    mailId: t.bigint('mail_id', { mode: 'number' }).notNull(),
    /** When the mail was asked for. */
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    expiresAt: t.timestamp('expires_at', { withTimezone: true, mode: 'string' }).notNull(),
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
