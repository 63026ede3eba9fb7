import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { MailPurpose } from './mail-queue.ts';
import { users } from './users.ts';

/**
 * Links sent by mail, each for one purpose and one address. Only the SHA-256 (hex) of the token is stored. Each attempt to send
 * a mail has its own token, and all of them are valid, since several attempts may have arrived.
 */
export const emailTokens = pgTable(
  'email_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    purpose: text().$type<MailPurpose>().notNull(),
    email: text().notNull(),
    /** The row of `mail_queue`, which is gone once the mail is sent. */
    mailId: bigint('mail_id', { mode: 'number' }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true, mode: 'string' }).notNull(),
  },
  (table) => [
    index('email_tokens_user').on(table.userId, table.purpose),
    index('email_tokens_expiry').on(table.expiresAt),
    check('email_tokens_purpose', sql`${table.purpose} in ('verify', 'reset')`),
  ],
);
