import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { findJob, JOB_QUEUE } from '#api/jobs/job-queue.ts';
import { leaseDue, releaseLease } from '#api/jobs/leases.ts';
import { MAIL_QUEUE } from '#api/mail/mail-queue.ts';
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

/** Rows that every schema accepts, from the first migration on. */
const ROWS = [
  `insert into users (id, username, email, password_hash, points, referral_code, referred_by) values
    (200, 'mara', 'Mara@example.org', 'none', 11, 'MARA', null), (201, 'otto', 'otto@example.org', 'none', 3, 'OTTO', 200)`,
  `insert into polls (id, user_id, question, option1_image, option2_image, votes2, responses_wanted, duration_days, closes_at) values
    ('019352aa-0000-7000-8000-000000000001', 200, 'Tea?', '/placeholder-1.svg', '/placeholder-2.svg', 1, 10, 3, now() + interval '1 day')`,
  `insert into votes (poll_id, user_id, option) values ('019352aa-0000-7000-8000-000000000001', 201, 2)`,
  `insert into point_entries (user_id, delta, reason, source) values (200, 11, 'signup', 'signup'), (201, 3, 'signup', 'signup')`,
  `insert into sessions (token_hash, user_id) values ('a session', 201)`,
  `insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id) values
    (201, '5b6d0a52-6c4f-4d0e-9a53-0f1f6a0f2a10', 'vote', 'f', 200, '019352aa-0000-7000-8000-000000000001')`,
];

/**
 * Rows that a schema accepts until the migration of this name changes it. The migration deletes used tokens and older
 * duplicates of mails, and addresses resets by email, so that these become `ROWS_SINCE`.
 */
const ROWS_BEFORE: Readonly<Record<string, readonly string[]>> = {
  mail_attempts: [
    `insert into email_tokens (token_hash, user_id, purpose, email, expires_at, used_at) values
      ('good', 200, 'verify', 'mara@example.org', now() + interval '1 day', null),
      ('used', 201, 'verify', 'otto@example.org', now() + interval '1 day', now())`,
    `insert into mail_queue (user_id, purpose) values (200, 'verify'), (200, 'verify'), (200, 'reset'), (201, 'reset')`,
  ],
};
/** The corresponding rows of later schemas. */
const ROWS_SINCE: readonly string[] = [
  `insert into email_tokens (token_hash, user_id, purpose, email, expires_at, mail_id) values
    ('good', 200, 'verify', 'mara@example.org', now() + interval '1 day', 7)`,
  `insert into mail_queue (user_id, email, purpose) values
    (200, null, 'verify'), (null, 'mara@example.org', 'reset'), (null, 'otto@example.org', 'reset')`,
];

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));
type Journal = { entries: { tag: string }[] };
const journal: Journal = JSON.parse(await readFile(join(MIGRATIONS, 'meta', '_journal.json'), 'utf8'));
const olderSchemas = journal.entries.slice(0, -1).map(({ tag }, index) => ({ tag, index }));

/** Creates a database with the schema that the journal's migration at `index` results in. */
async function createOlderDatabase(index: number): Promise<{ url: string; sql: postgres.Sql }> {
  const olderName = `older_${randomUUID().replaceAll('-', '')}`;
  await admin.unsafe(`create database ${olderName}`);
  const olderUrl = new URL(source.kind === 'postgres' ? source.adminUrl : '');
  olderUrl.pathname = `/${olderName}`;
  const olderSql = postgres(olderUrl.href, { max: 1, onnotice: () => {} });
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
    await olderSql.end();
    await admin.unsafe(`drop database ${olderName}`);
  });
  await cp(MIGRATIONS, folder, { recursive: true });
  const entries = journal.entries.slice(0, index + 1);
  await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
  await migrate(drizzle(olderSql), { migrationsFolder: folder });
  return { url: olderUrl.href, sql: olderSql };
}

test.each(olderSchemas)(
  'a database with the schema of $tag is migrated and keeps its data',
  async ({ index }) => {
    const { url, sql } = await createOlderDatabase(index);
    const nextMigration = journal.entries[index + 1]?.tag.replace(/^\d+_/, '') ?? '';
    const rows = [...ROWS, ...(ROWS_BEFORE[nextMigration] ?? ROWS_SINCE)];
    for (const statement of rows) await sql.unsafe(statement);

    await migratePostgres(url);
    const users = await sql`select username, points, referred_by from users order by id`;
    expect([...users]).toEqual([
      { username: 'mara', points: 11, referred_by: null },
      { username: 'otto', points: 3, referred_by: 200 },
    ]);
    expect([...(await sql`select question, votes2 from polls`)]).toEqual([{ question: 'Tea?', votes2: 1 }]);
    for (const [table, count] of Object.entries({
      votes: 1,
      point_entries: 2,
      sessions: 1,
      mutation_receipts: 1,
    })) {
      expect([table, (await sql.unsafe(`select from ${table}`)).count]).toEqual([table, count]);
    }
    expect([...(await sql`select token_hash from email_tokens`)]).toEqual([{ token_hash: 'good' }]);
    const mails = await sql`select purpose, user_id, email from mail_queue order by id`;
    expect([...mails]).toEqual([
      { purpose: 'verify', user_id: 200, email: null },
      { purpose: 'reset', user_id: null, email: 'mara@example.org' },
      { purpose: 'reset', user_id: null, email: 'otto@example.org' },
    ]);
    const states = await sql`select id, epoch from server_state`;
    expect([...states]).toEqual([{ id: 1, epoch: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  },
);

test('running jobs and waiting mails continue after an update of the server', async () => {
  // The last schema in which a running job has the state `running`.
  const { url, sql } = await createOlderDatabase(
    journal.entries.findIndex(({ tag }) => tag === '0005_vote_changes'),
  );
  const [insertUsers = ''] = ROWS;
  const expiredLease = `gen_random_uuid(), now() - interval '1 second'`;
  for (const statement of [
    insertUsers,
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
