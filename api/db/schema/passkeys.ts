import { index, pgTable } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

/** Passkeys of users (WebAuthn credentials). Their private keys never leave the devices. */
export const passkeys = pgTable(
  'passkeys',
  (t) => ({
    /** What calls name it by. */
    id: t.uuid().primaryKey().defaultRandom(),
    userId: t
      .integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Base64url, as is the public key (COSE). */
    credentialId: t.text('credential_id').notNull().unique(),
    publicKey: t.text('public_key').notNull(),
    /** How often it has been used, by its own count; always 0 of those that are on several devices. */
    counter: t.bigint({ mode: 'number' }).notNull(),
    /** How browsers reach it, joined by commas, such as `internal,hybrid`. */
    transports: t.text().notNull().default(''),
    name: t.text().notNull(),
    isBackedUp: t.boolean('is_backed_up').notNull(),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    lastUsedAt: t.timestamp('last_used_at', { withTimezone: true, mode: 'string' }),
  }),
  (table) => [index('passkeys_user').on(table.userId)],
);
