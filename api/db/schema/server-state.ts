import { sql } from 'drizzle-orm';
import { check, pgTable } from 'drizzle-orm/pg-core';
import { instant } from '#api/db/columns.ts';

/** A single row about the database itself. */
export const serverState = pgTable(
  'server_state',
  (t) => ({
    id: t.integer().primaryKey(),
    /** Identifies the history of this database. Renewed after a restore from a backup. */
    epoch: t.uuid().notNull().defaultRandom(),
    /** When the database got this epoch. */
    epochBeganAt: instant('epoch_began_at').notNull().defaultNow(),
    /** The key of the slugs of share links: 122 random bits. Another key would break every link. */
    shareKey: t.uuid('share_key').notNull().defaultRandom(),
    /** The key of the links to unsubscribe from the weekly mail: 122 random bits. Another key would break every such link. */
    unsubscribeKey: t.uuid('unsubscribe_key').notNull().defaultRandom(),
    /**
     * The private key that identifies this server to push services, created at the first start. Another key would end every
     * subscription.
     */
    vapidKey: t.text('vapid_key'),
    /** The makers of all polls that expired before this time have been notified. */
    expiryNotedUntil: instant('expiry_noted_until').notNull().defaultNow(),
  }),
  (table) => [check('server_state_one_row', sql`${table.id} = 1`)],
);
