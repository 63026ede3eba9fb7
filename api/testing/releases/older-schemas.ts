import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { expect, onTestFinished } from 'vitest';
import { MIGRATIONS_FOLDER } from '#api/db/migrate.ts';

type Journal = { entries: { tag: string }[] };
const JOURNAL_PATH = join('meta', '_journal.json');
const journal: Journal = JSON.parse(await readFile(join(MIGRATIONS_FOLDER, JOURNAL_PATH), 'utf8'));

/** The tags of all migrations, such as `0007_reports`, in their order. */
export const TAGS: readonly string[] = journal.entries.map(({ tag }) => tag);
const NAMES = TAGS.map((tag) => tag.replace(/^\d+_/, ''));

/** Returns a folder with the migrations from the first one to the one at `index`. It is removed after the test. */
export async function migrationsUpTo(index: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  const entries = journal.entries.slice(0, index + 1);
  await writeFile(join(folder, JOURNAL_PATH), JSON.stringify({ ...journal, entries }));
  return folder;
}

export const INSERT_USERS = `insert into users (id, username, email, password_hash, points, referral_code, referred_by) values
  (200, 'mara', 'Mara@example.org', 'none', 11, 'MARA', null), (201, 'otto', 'otto@example.org', 'none', 3, 'OTTO', 200)`;

const POLL_ID = '019352aa-0000-7000-8000-000000000001';

/** Rows that every schema accepts, from the first migration on. */
const ROWS = [
  INSERT_USERS,
  `insert into polls (id, user_id, question, option1_image, option2_image, votes2, responses_wanted, duration_days, closes_at) values
    ('${POLL_ID}', 200, 'Tea?', '/placeholder-1.svg', '/placeholder-2.svg', 1, 10, 3, now() + interval '1 day')`,
  `insert into votes (poll_id, user_id, option) values ('${POLL_ID}', 201, 2)`,
  `insert into point_entries (user_id, delta, reason, source) values (200, 11, 'signup', 'signup'), (201, 3, 'signup', 'signup')`,
  `insert into sessions (token_hash, user_id) values ('a session', 201)`,
  `insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id) values
    (201, '5b6d0a52-6c4f-4d0e-9a53-0f1f6a0f2a10', 'vote', 'f', 200, '${POLL_ID}')`,
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

/** By the name of a migration: the tables that it creates, with rows that its schema and all later ones accept. */
const ROWS_OF_NEW_TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  initial: {
    audit_entries: `insert into audit_entries (admin_id, action, target) values
      (200, 'poll.delete', 'poll ${POLL_ID}'), (null, 'user.delete', 'user 202')`,
    rate_limits: `insert into rate_limits (key, points, expire) values ('a limit', 3, now())`,
  },
  admin: {
    admin_jobs: `insert into admin_jobs (id, kind, state, admin_id, input, done, total, ended_at) values
      ('019352aa-0000-7000-8000-000000000002', 'repair-images', 'queued', 200, '{}', 0, 1, null),
      ('019352aa-0000-7000-8000-000000000003', 'generate-polls', 'done', 200, '{}', 5, 5, now())`,
  },
  reports: {
    poll_reports: `insert into poll_reports (poll_id, user_id, reason, text, verdict, decided_at) values
      ('${POLL_ID}', 201, 'spam', 'An ad', 'dismissed', now()), (null, 201, 'spam', null, null, null)`,
    report_decisions: `insert into report_decisions (poll_id, admin_id, action) values ('${POLL_ID}', 200, 'keep')`,
    user_blocks: `insert into user_blocks (user_id, blocked_id) values (201, 200)`,
  },
  recent_calls: {
    recent_calls: `insert into recent_calls (key, times) values ('a limit', array[now(), now()])`,
  },
  data_exports: {
    data_exports: `insert into data_exports (user_id, done, total, ended_at, bytes) values (200, 2, 2, now(), 1000), (201, 0, 2, null, null)`,
  },
  passkeys: {
    passkeys: `insert into passkeys (user_id, credential_id, public_key, counter, name, is_backed_up) values
      (201, 'a credential', 'a key', 3, 'Phone', false)`,
    recovery_codes: `insert into recovery_codes (code_hash, user_id) values ('a hash', 201)`,
    passkey_challenges: `insert into passkey_challenges (hash, purpose, user_id, session_hash, expires_at) values
      ('a challenge', 'add', 201, 'a session', now())`,
  },
  notifications: {
    notifications: `insert into notifications (user_id, kind, poll_id, friend_id, read_at) values
      (200, 'first_vote', '${POLL_ID}', null, now()), (200, 'referral_joined', null, 201, null)`,
  },
  push: {
    push_subscriptions: `insert into push_subscriptions (session_id, endpoint, p256dh, auth)
      select id, 'https://push.example.org', 'a key', 'a secret' from sessions`,
    push_queue: `insert into push_queue (subscription_id, first_id, last_id) select id, 1, 2 from push_subscriptions`,
  },
};

const insertsOfNewTables = (index: number) => Object.values(ROWS_OF_NEW_TABLES[NAMES[index] ?? ''] ?? {});

/** The statements that insert rows into a database that the migration at `index` has just changed, and all earlier ones before. */
export function insertsAfter(index: number): readonly string[] {
  const changedRows = ROWS_BEFORE[NAMES[index + 1] ?? ''] ?? [];
  return [...(index === 0 ? ROWS : []), ...changedRows, ...insertsOfNewTables(index)];
}

/** The statements that insert all rows into a database with the schema that the migration at `index` results in. */
export function insertsInto(index: number): readonly string[] {
  const newTables = NAMES.slice(0, index + 1).flatMap((_, nth) => insertsOfNewTables(nth));
  return [...ROWS, ...(ROWS_BEFORE[NAMES[index + 1] ?? ''] ?? ROWS_SINCE), ...newTables];
}

/** The rows of the tables in `ROWS_OF_NEW_TABLES` that the migrations up to the one at `index` have created. */
export async function readNewTables(sql: postgres.Sql, index: number): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const name of NAMES.slice(0, index + 1)) {
    for (const table of Object.keys(ROWS_OF_NEW_TABLES[name] ?? {})) {
      rows[table] = [...(await sql.unsafe(`select * from ${table} order by 1, 2`))];
      expect([table, rows[table]]).not.toEqual([table, []]);
    }
  }
  return rows;
}

/** Expects that a migrated database has the rows of all statements, apart from those of new tables. */
export async function expectRowsKept(sql: postgres.Sql): Promise<void> {
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
}
