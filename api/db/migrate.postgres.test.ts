import { randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { findJob, JOB_QUEUE } from '#api/jobs/job-queue.ts';
import { leaseDue, releaseLease } from '#api/jobs/leases.ts';
import { MAIL_QUEUE } from '#api/mail/mail-queue.ts';
import {
  expectRowsKept,
  INSERT_USERS,
  insertsInto,
  migrationsUpTo,
  readNewTables,
  TAGS,
} from '#api/testing/releases/older-schemas.ts';
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

test('five processes that start concurrently migrate the database once', async () => {
  // An operator may have set such timeouts for the statements of the app.
  await admin.unsafe(`alter database ${name} set lock_timeout = '1ms'`);
  // Since PostgreSQL 17.
  if ((await admin`select from pg_settings where name = 'transaction_timeout'`).count === 1) {
    await admin.unsafe(`alter database ${name} set transaction_timeout = '200ms'`);
  }
  await Promise.all(Array.from({ length: 5 }, () => migratePostgres(url.href)));
  await admin.unsafe(`alter database ${name} reset all`);
  const applied = await sql`select hash from drizzle.__drizzle_migrations`;
  expect(new Set(applied.map(({ hash }) => hash)).size).toBe(applied.length);
  expect((await sql`select from users`).count).toBe(0);
});

test('no migration is applied to an up-to-date database', async () => {
  const before = await sql`select * from drizzle.__drizzle_migrations`;
  await migratePostgres(url.href);
  expect(await sql`select * from drizzle.__drizzle_migrations`).toEqual(before);
});

const olderSchemas = TAGS.slice(0, -1).map((tag, index) => ({ tag, index }));

/** Creates a database with the schema that the journal's migration at `index` results in. */
async function createOlderDatabase(index: number): Promise<{ url: string; sql: postgres.Sql }> {
  const olderName = `older_${randomUUID().replaceAll('-', '')}`;
  await admin.unsafe(`create database ${olderName}`);
  const olderUrl = new URL(source.kind === 'postgres' ? source.adminUrl : '');
  olderUrl.pathname = `/${olderName}`;
  const olderSql = postgres(olderUrl.href, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await olderSql.end();
    await admin.unsafe(`drop database ${olderName}`);
  });
  await migrate(drizzle(olderSql), { migrationsFolder: await migrationsUpTo(index) });
  return { url: olderUrl.href, sql: olderSql };
}

test.each(olderSchemas)(
  'a database with the schema of $tag is migrated and keeps its data',
  async ({ index }) => {
    const { url, sql } = await createOlderDatabase(index);
    for (const statement of insertsInto(index)) await sql.unsafe(statement);
    const before = await readNewTables(sql, index);
    await migratePostgres(url);
    await expectRowsKept(sql);
    expect(await readNewTables(sql, index)).toMatchObject(before);
  },
);

test('running jobs and waiting mails continue after an update of the server', async () => {
  // The last schema in which a running job has the state `running`.
  const { url, sql } = await createOlderDatabase(TAGS.indexOf('0005_vote_changes'));
  const expiredLease = `gen_random_uuid(), now() - interval '1 second'`;
  for (const statement of [
    INSERT_USERS,
    `insert into admin_jobs (id, kind, state, input, done, total, lease, leased_until, created_at, ended_at) values
      ('019352aa-0000-7000-8000-00000000000b', 'generate-polls', 'queued', '{"count": 5}', 0, 5, null, null, now(), null),
      ('019352aa-0000-7000-8000-00000000000a', 'generate-polls', 'running', '{"count": 20}', 10, 20, ${expiredLease}, now() - interval '1 hour', null),
      ('019352aa-0000-7000-8000-000000000009', 'generate-polls', 'done', '{}', 3, 3, null, null, now() - interval '1 day', now())`,
    `insert into mail_queue (user_id, purpose, attempts, lease, leased_until) values (200, 'verify', 2, ${expiredLease})`,
  ]) {
    await sql.unsafe(statement);
  }
  await migratePostgres(url);
  const handle = { sql, orm: drizzle(sql) };
  expect(await findJob(handle, '019352aa-0000-7000-8000-000000000009')).toMatchObject({
    state: 'done',
    done: 3,
  });
  expect(await findJob(handle, '019352aa-0000-7000-8000-00000000000a')).toMatchObject({ attempts: 0 });
  const jobs = [
    await leaseDue(handle, JOB_QUEUE, { limit: 1 }),
    await leaseDue(handle, JOB_QUEUE, { limit: 9 }),
  ];
  expect(jobs).toMatchObject([[{ done: 10, input: { count: 20 } }], [{ done: 0, input: { count: 5 } }]]);
  for (const [job] of jobs) if (job !== undefined) await releaseLease(handle, JOB_QUEUE, job);
  expect(await findJob(handle, '019352aa-0000-7000-8000-00000000000a')).toMatchObject({
    state: 'queued',
    done: 10,
  });
  expect(await leaseDue(handle, MAIL_QUEUE, { limit: 9 })).toMatchObject([
    { userId: 200, purpose: 'verify', attempts: 2 },
  ]);
});
