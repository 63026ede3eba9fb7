import { index, pgTable } from 'drizzle-orm/pg-core';
import { createdAt, instant } from '#api/db/columns.ts';
import { ofUser } from './users.ts';

/** Logged-in browsers. Only the SHA-256 (hex) of the cookie's token is stored. */
export const sessions = pgTable(
  'sessions',
  (t) => ({
    tokenHash: t.text('token_hash').primaryKey(),
    /** What the user sees of it: says nothing about the token. */
    id: t.uuid().notNull().defaultRandom().unique(),
    userId: ofUser(),
    /** The browser and system in words, and the start of the address, of the last use that was noted; '' of old sessions. */
    device: t.text().notNull().default(''),
    network: t.text().notNull().default(''),
    /**
     * The passkey whose use opened it, by itself or after the password; null of others and of sessions from before this column.
     * No foreign key: it stays in the session in which the passkey is removed.
     */
    passkeyId: t.uuid('passkey_id'),
    /** When its user last proved, by password or passkey, who they are: see `requireConfirmed`. */
    confirmedAt: instant('confirmed_at'),
    /** Whether a passkey or a recovery code was used in it. */
    isPasskeyUsed: t.boolean('is_passkey_used').notNull().default(false),
    createdAt: createdAt(),
    lastSeenAt: instant('last_seen_at').notNull().defaultNow(),
  }),
  (table) => [index('sessions_user').on(table.userId), index('sessions_last_seen').on(table.lastSeenAt)],
);
