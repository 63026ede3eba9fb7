import type postgres from 'postgres';

/** The state of a database after its migration: a hash of its schema (see `readSchema`), and the rows. */
export type InitialState = { schema: string; rows: { table: string; rows: string }[] };

export async function readInitial(sql: postgres.ISql): Promise<InitialState> {
  const rows: InitialState['rows'] = [];
  for (const table of await usedTables(sql)) {
    const [{ content }] = await sql<[{ content: string }]>`
      select coalesce(json_agg(row), '[]')::text as content from ${sql(table)} row`;
    rows.push({ table, rows: content });
  }
  return { schema: await readSchema(sql), rows };
}

/** Restores the initial rows. Returns false, and changes no row, if the schema has changed. */
export async function emptyDatabase(sql: postgres.Sql, { schema, rows }: InitialState): Promise<boolean> {
  // Discards the settings and prepared statements of the session, which outlives its client.
  await sql`discard all`.simple();
  if ((await readSchema(sql)) !== schema) return false;
  const tables = await usedTables(sql);
  await sql.begin(async (tx) => {
    // Disables triggers and foreign keys, so that rows can be inserted in any order.
    await tx`set local session_replication_role = replica`;
    await tx`truncate ${tx(tables)} restart identity cascade`;
    for (const { table, rows: content } of rows) {
      await tx`insert into ${tx(table)} select * from json_populate_recordset(null::${tx(table)}, ${content}::text::json)`;
    }
  });
  return true;
}

/** Tables that have or had rows, including rows of transactions that were rolled back. */
async function usedTables(sql: postgres.ISql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0`;
  return tables.map(({ name }) => name);
}

/**
 * A hash of tables, columns, constraints, triggers, functions, settings, and of which columns have statistics, which determine
 * query plans.
 */
async function readSchema(sql: postgres.ISql): Promise<string> {
  const [{ hash }] = await sql<[{ hash: string }]>`
    with relation as (
      select oid, relname, relkind, reloptions from pg_class where relnamespace = 'public'::regnamespace
    )
    select md5(string_agg(line, ' ' order by line)) as hash from (
      select relation::text as line from relation
      union all
      select pg_attribute::text from pg_attribute join relation on relation.oid = attrelid
      union all
      select pg_constraint::text from pg_constraint where connamespace = 'public'::regnamespace
      union all
      select pg_trigger::text from pg_trigger join relation on relation.oid = tgrelid
      union all
      select pg_proc::text from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select starelid || '.' || staattnum from pg_statistic join relation on relation.oid = starelid
      union all
      select pg_db_role_setting::text from pg_db_role_setting
    ) lines`;
  return hash;
}
