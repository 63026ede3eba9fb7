import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import type { World } from './world.ts';

const SCHEMA = 'backup';

/** The database and the images as they were at one moment. */
export type Backup = { tables: string[]; images: string };

/** Copies all that the server has stored; the earlier backup is gone. */
export async function takeBackup({ test: { db, deps } }: World): Promise<Backup> {
  const tables = await inTransaction(db, async ({ sql }) => {
    // All copies are of one moment, and no lock stands in the way of what a server is at.
    await sql`set transaction isolation level repeatable read`;
    await sql.unsafe(`drop schema if exists ${SCHEMA} cascade`);
    await sql.unsafe(`create schema ${SCHEMA}`);
    const rows = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public'`;
    for (const { name } of rows) await sql.unsafe(`create table ${SCHEMA}.${name} as table public.${name}`);
    return rows.map(({ name }) => name);
  });
  const images = join(uploadsFolder(deps), '..', 'backup');
  await rm(images, { recursive: true, force: true });
  await mkdir(images);
  await copyFiles(uploadsFolder(deps), images);
  return { tables, images };
}

/** Puts the server back to where it was: its processes end, and start again on what the backup has. */
export async function restoreBackup(world: World, { tables, images }: Backup): Promise<void> {
  const { cluster, test, happenings } = world;
  happenings.note('a server was restored from a backup');
  await cluster.stopAll();
  await inTransaction(test.db, async ({ sql }) => {
    // The rows come in no order that would suit the foreign keys.
    await sql`set local session_replication_role = replica`;
    await sql.unsafe(`truncate ${tables.map((name) => `public.${name}`).join()}`);
    for (const name of tables) {
      const columns = await sql<{ name: string }[]>`
        select column_name as name from information_schema.columns
        where table_schema = 'public' and table_name = ${name} and is_generated = 'NEVER'`;
      const list = columns.map((column) => `"${column.name}"`).join();
      await sql.unsafe(
        `insert into public.${name} (${list}) overriding system value select ${list} from ${SCHEMA}.${name}`,
      );
    }
  });
  await copyFiles(images, uploadsFolder(test.deps));
  // Images of polls that are gone again.
  cluster.mayHaveLeftFiles = true;
  await renewEpoch(test.db);
  await cluster.startAll();
  world.dropFeeds();
  // What was said before was said by a server that there is no more.
  world.answers.clear();
}

async function copyFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile()) await copyFile(join(from, entry.name), join(to, entry.name));
  }
}
