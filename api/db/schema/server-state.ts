import { sql } from 'drizzle-orm';
import { check, pgTable } from 'drizzle-orm/pg-core';

/** A single row about the database itself. */
export const serverState = pgTable(
  'server_state',
  (t) => ({
    id: t.integer().primaryKey(),
    /** Identifies the history of this database. Renewed after a restore from a backup. */
    epoch: t.uuid().notNull().defaultRandom(),
  }),
  (table) => [check('server_state_one_row', sql`${table.id} = 1`)],
);
