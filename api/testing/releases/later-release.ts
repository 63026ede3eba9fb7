import type { Database } from '#api/db/client.ts';

/**
 * Runs `work` while a table lacks one of its CHECKs, as if a later release had migrated it to allow more. Empties the table
 * afterwards, so that the CHECK holds again.
 */
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
