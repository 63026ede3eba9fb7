import type { Database } from '#api/db/client.ts';

/** Does `work` with a table that has a CHECK less, as after a migration of a later release, which allows more. */
export async function withoutCheck(
  { sql }: Database,
  { table, name }: { table: string; name: string },
  work: () => Promise<void>,
): Promise<void> {
  const [check] = await sql<[{ definition: string }]>`
    select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ${name}`;
  await sql`alter table ${sql(table)} drop constraint ${sql(name)}`;
  try {
    await work();
  } finally {
    await sql.unsafe(`delete from ${table}`);
    await sql.unsafe(`alter table ${table} add constraint ${name} ${check.definition}`);
  }
}
