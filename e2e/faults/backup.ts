import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import type { World } from './world.ts';

const SCHEMA = 'backup';

/** The names of the tables that were copied to a separate schema, and the folder to which the images were copied. */
export type Backup = { tables: string[]; imagesFolder: string };

/** Backs up the database and the images; replaces the previous backup. */
export async function takeBackup({ test: { db, deps } }: World): Promise<Backup> {
  const tables = await inTransaction(db, async ({ sql }) => {
    // All tables are copied from one snapshot, without locks that would block the servers.
    await sql`set transaction isolation level repeatable read`;
    await sql.unsafe(`drop schema if exists ${SCHEMA} cascade`);
    await sql.unsafe(`create schema ${SCHEMA}`);
    const rows = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public'`;
    for (const { name } of rows) await sql.unsafe(`create table ${SCHEMA}.${name} as table public.${name}`);
    return rows.map(({ name }) => name);
  });
  const imagesFolder = join(uploadsFolder(deps), '..', 'backup');
  await rm(imagesFolder, { recursive: true, force: true });
  await mkdir(imagesFolder);
  await copyFiles(uploadsFolder(deps), imagesFolder);
  return { tables, imagesFolder };
}

/** Stops the server processes, restores the backup, renews the epoch and starts the processes again. */
export async function restoreBackup(world: World, { tables, imagesFolder }: Backup): Promise<void> {
  const { cluster, test, coverage } = world;
  coverage.record('a server was restored from a backup');
  await cluster.stopAll();
  await inTransaction(test.db, async ({ sql }) => {
    // The rows are inserted in an order that violates foreign keys.
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
  await copyFiles(imagesFolder, uploadsFolder(test.deps));
  // The images of polls newer than the backup now have no poll.
  cluster.mayHaveOrphanedFiles = true;
  await renewEpoch(test.db);
  await cluster.startAll();
  world.dropListCaches();
  // The restored server may respond differently to a key.
  world.finalResponses.clear();
}

async function copyFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile()) await copyFile(join(from, entry.name), join(to, entry.name));
  }
}
