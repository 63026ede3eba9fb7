import { sql } from 'drizzle-orm';
import { check, integer, pgTable, uuid } from 'drizzle-orm/pg-core';

/** A single row about the database itself. */
export const serverState = pgTable(
  'server_state',
  {
    id: integer().primaryKey(),
    /** Identifies the history of this database. Renewed after a restore from a backup. */
    epoch: uuid().notNull().defaultRandom(),
  },
  (table) => [check('server_state_one_row', sql`${table.id} = 1`)],
);
