import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { afterAll, expect, test } from 'vitest';
import { migrateEmbedded } from '#api/db/migrate.ts';
import {
  expectRowsKept,
  insertsAfter,
  migrationsUpTo,
  readNewTables,
  TAGS,
} from '#api/testing/releases/older-schemas.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';

const db = await createTestDatabase();
afterAll(() => db.close());

test('an embedded database keeps its data in each migration', async () => {
  // Faster than creating a new database.
  await db.sql`drop schema public, drizzle cascade`;
  await db.sql`create schema public`;
  const last = TAGS.length - 1;
  let rows: Record<string, unknown[]> = {};
  for (let index = 0; index <= last; index += 1) {
    if (index < last) await migrate(db.orm, { migrationsFolder: await migrationsUpTo(index) });
    else await migrateEmbedded(db);
    if (index > 0) expect(await readNewTables(db.sql, index - 1)).toMatchObject(rows);
    for (const statement of insertsAfter(index)) await db.sql.unsafe(statement);
    rows = await readNewTables(db.sql, index);
  }
  await expectRowsKept(db.sql);
});
