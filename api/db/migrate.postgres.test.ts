import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { afterAll, expect, inject, test } from 'vitest';
import { migratePostgres } from './migrate.ts';

const source = inject('testDatabase');
if (source.kind !== 'postgres') throw new Error('This file is for PostgreSQL only');
const name = `empty_${randomUUID().replaceAll('-', '')}`;
const admin = postgres(source.adminUrl, { max: 1 });
await admin.unsafe(`create database ${name}`);
const url = new URL(source.adminUrl);
url.pathname = `/${name}`;
const sql = postgres(url.href, { max: 1 });
afterAll(async () => {
  await sql.end();
  await admin.unsafe(`drop database ${name}`);
  await admin.end();
});

test('five processes that start at once migrate once', async () => {
  await Promise.all(Array.from({ length: 5 }, () => migratePostgres(url.href)));
  const applied = await sql`select hash from drizzle.__drizzle_migrations`;
  expect(new Set(applied.map(({ hash }) => hash)).size).toBe(applied.length);
  expect((await sql`select from users`).count).toBe(0);
});

test('a database that is up to date stays as it is', async () => {
  const before = await sql`select * from drizzle.__drizzle_migrations`;
  await migratePostgres(url.href);
  expect(await sql`select * from drizzle.__drizzle_migrations`).toEqual(before);
});

test('a database in use since before there were epochs gets one, and keeps what is in it', async () => {
  const older = `older_${randomUUID().replaceAll('-', '')}`;
  await admin.unsafe(`create database ${older}`);
  const olderUrl = new URL(source.kind === 'postgres' ? source.adminUrl : '');
  olderUrl.pathname = `/${older}`;
  const olderSql = postgres(olderUrl.href, { max: 1, onnotice: () => {} });
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  try {
    await cp(fileURLToPath(new URL('./migrations', import.meta.url)), folder, { recursive: true });
    const journalPath = join(folder, 'meta', '_journal.json');
    const journal: { entries: { tag: string }[] } = JSON.parse(await readFile(journalPath, 'utf8'));
    const place = journal.entries.findIndex(({ tag }) => tag.endsWith('_server_epoch'));
    expect(place).toBeGreaterThan(0);
    await writeFile(journalPath, JSON.stringify({ ...journal, entries: journal.entries.slice(0, place) }));
    await migrate(drizzle(olderSql), { migrationsFolder: folder });
    await olderSql`insert into users (username, email, password_hash, referral_code)
      values ('mara', 'mara@example.org', 'none', 'MARA')`;

    await migratePostgres(olderUrl.href);
    const states = await olderSql`select id, epoch from server_state`;
    expect([...states]).toEqual([{ id: 1, epoch: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    expect((await olderSql`select from users where username = 'mara'`).count).toBe(1);
  } finally {
    await rm(folder, { recursive: true });
    await olderSql.end();
    await admin.unsafe(`drop database ${older}`);
  }
});
