import { index, pgTable } from 'drizzle-orm/pg-core';
import { createdAt, instant } from '#api/db/columns.ts';
import { userIdColumn } from './users.ts';

/** Logged-in browsers. Only the SHA-256 (hex) of the cookie's token is stored. */
export const sessions = pgTable(
  'sessions',
  (t) => ({
    tokenHash: t.text('token_hash').primaryKey(),
    /** The id that its user sees. It reveals nothing about the token. */
    id: t.uuid().notNull().defaultRandom().unique(),
    userId: userIdColumn(),
    /**
     * The browser and system in words, and the beginning of the client's address, at the last stored use; '' in old sessions.
     */
    device: t.text().notNull().default(''),
    network: t.text().notNull().default(''),
    /**
     * The passkey with which its user logged in, alone or after the password; null in other sessions, and in those older than
     * this column. No foreign key: when the passkey is removed, the session in which that is
     * done goes on, with the id of a passkey that no longer exists; the other sessions end.
     */
    passkeyId: t.uuid('passkey_id'),
    /** When its user last proved their identity (see the glossary): `requireConfirmed` checks it. */
    confirmedAt: instant('confirmed_at'),
    /** Whether a passkey or a recovery code was used in it. */
    isPasskeyUsed: t.boolean('is_passkey_used').notNull().default(false),
    createdAt: createdAt(),
    lastSeenAt: instant('last_seen_at').notNull().defaultNow(),
  }),
  (table) => [index('sessions_user').on(table.userId), index('sessions_last_seen').on(table.lastSeenAt)],
);
