import type { Handle } from '#api/db/client.ts';

/**
 * Does the work of PostgreSQL's background processes, which the embedded database lacks. A vacuum makes the space of deleted
 * rows available again and updates the planner's statistics; a checkpoint makes the write-ahead log before it reusable. Tables
 * are vacuumed if more than a tenth has changed, like autovacuum's ANALYZE with its default settings
 * (https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM), and once after each start, because the counts of
 * changes are lost when the database is closed. All other queries wait while a table is vacuumed. `signal` ends it after the
 * current table.
 */
export async function maintainEmbedded({ sql }: Pick<Handle, 'sql'>, signal?: AbortSignal): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_stat_user_tables join pg_class on pg_class.oid = relid
    where n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)
      or last_vacuum is null and pg_relation_size(relid) > 0`;
  try {
    for (const { name } of tables) {
      signal?.throwIfAborted();
      await sql.unsafe(`vacuum (analyze) ${name}`);
    }
  } finally {
    await sql`checkpoint`;
  }
}
