import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { maintainEmbedded } from './maintenance.ts';

const { db } = await createTestApp();

/** Vacuums after the counts of changed rows were updated, which the database does at most once a second by default. */
async function vacuum(): Promise<void> {
  await db.sql`select pg_stat_force_next_flush()`;
  await maintainEmbedded(db);
}

/** Inserts 1,000 rows, deletes them, vacuums, and returns the size of the table with its index in bytes. */
async function sizeBytesAfterRound(): Promise<number> {
  await db.sql`insert into counters select n, n from generate_series(1, 1000) n`;
  await db.sql`delete from counters`;
  await vacuum();
  const [row] = await db.sql<[{ size: number }]>`select pg_total_relation_size('counters')::int as size`;
  return row.size;
}

test('the space of deleted rows is used again', async () => {
  await db.sql`create table counters (id integer primary key, count integer not null)`;
  const firstSizeBytes = await sizeBytesAfterRound();
  for (let round = 0; round < 4; round += 1) await sizeBytesAfterRound();
  expect(await sizeBytesAfterRound()).toBeLessThanOrEqual(firstSizeBytes * 2);
});

test('a table is analyzed again only after more than a tenth of its rows has changed', async () => {
  await db.sql`create table "Names" (name text not null)`;
  const insert = (count: number) =>
    db.sql`insert into "Names" select 'user ' || n from generate_series(1, ${count}::int) n`;
  const analyzedRows = async () => {
    await vacuum();
    const [row] = await db.sql<[{ rows: number }]>`
      select reltuples::int as rows from pg_class where relname = 'Names'`;
    return row.rows;
  };
  await insert(1_000);
  expect(await analyzedRows()).toBe(1_000);
  await insert(150);
  expect(await analyzedRows()).toBe(1_000);
  await insert(1);
  expect(await analyzedRows()).toBe(1_151);
});

test('small tables are vacuumed once after a start, when it is unknown how much has changed', async () => {
  await db.sql`create table counts (id integer)`;
  await db.sql`insert into counts values (1)`;
  const vacuums = async () => {
    await vacuum();
    const [row] = await db.sql<[{ count: number }]>`
      select vacuum_count::int as count from pg_stat_user_tables where relname = 'counts'`;
    return row.count;
  };
  expect(await vacuums()).toBe(1);
  expect(await vacuums()).toBe(1);
});

test('after maintenance, the write-ahead log from before it is no longer needed', async () => {
  const [before] = await db.sql<[{ position: string }]>`select pg_current_wal_lsn()::text as position`;
  await db.sql`create table logged (id integer)`;
  await vacuum();
  const [{ isAfter }] = await db.sql<[{ isAfter: boolean }]>`
    select redo_lsn > ${before.position}::text::pg_lsn as "isAfter" from pg_control_checkpoint()`;
  expect(isAfter).toBe(true);
});

test('stopped maintenance vacuums no further table', async () => {
  await db.sql`create table unchanged (id integer)`;
  await db.sql`insert into unchanged values (1)`;
  await expect(maintainEmbedded(db, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  const [row] = await db.sql<[{ count: number }]>`
    select vacuum_count::int as count from pg_stat_user_tables where relname = 'unchanged'`;
  expect(row.count).toBe(0);
});
