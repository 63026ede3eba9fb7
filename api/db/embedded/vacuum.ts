import type { Handle } from '#api/db/client.ts';

/**
 * Vacuums and analyzes the tables of which more than a tenth has changed, since the embedded database has no autovacuum: it makes
 * the space of deleted rows available again, and updates the planner's statistics. All other queries wait while a table is
 * vacuumed. The condition is that of autovacuum's ANALYZE with its default settings
 * (https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM).
 */
export async function vacuumChangedTables({ sql }: Pick<Handle, 'sql'>): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_stat_user_tables join pg_class on pg_class.oid = relid
    where n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)`;
  for (const { name } of tables) await sql.unsafe(`vacuum (analyze) ${name}`);
}
