import { randomUUID } from 'node:crypto';
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
