import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { afterStatement } from '#api/testing/database-hooks.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { every, removeExpired, runHousekeeping, startHousekeeping } from './housekeeping.ts';

const { db, deps, signUp } = await createTestApp();

test('expired rows of each kind are deleted, and later ones are kept', async () => {
  const activeUser = await signUp();
  const idleUser = await signUp();
  const userWithOldSession = await signUp();
  await db.sql`update sessions set last_seen_at = now() - interval '15 days' where user_id = ${idleUser.user.id}`;
  await db.sql`update sessions set created_at = now() - interval '61 days' where user_id = ${userWithOldSession.user.id}`;
  await db.sql`
    insert into rate_limits values ('expired', 1, now() - interval '1 second'), ('running', 1, now() + interval '1 hour')`;
  await db.sql`
    insert into recent_calls
    values ('expired', array[now() - interval '26 hours', now() - interval '25 hours']), ('none', '{}'),
      ('running', array[now() - interval '25 hours', now() - interval '23 hours'])`;
  await db.sql`
    insert into mutation_receipts (user_id, key, route, fingerprint, status, created_at)
    values (${activeUser.user.id}, gen_random_uuid(), 'vote', 'old', 200, now() - interval '91 days'),
      (${activeUser.user.id}, gen_random_uuid(), 'vote', 'young', 200, now() - interval '89 days')`;
  await db.sql`
    insert into mutation_receipts (user_id, key, route, fingerprint, status, code, expires_at)
    values (${activeUser.user.id}, gen_random_uuid(), 'vote', 'refused', 409, 'poll_closed', now() - interval '1 second'),
      (${activeUser.user.id}, gen_random_uuid(), 'vote', 'refused lately', 409, 'poll_closed', now() + interval '1 hour')`;
  await db.sql`
    insert into passkey_challenges (hash, purpose, expires_at)
    values ('expired', 'login', now() - interval '1 second'), ('valid', 'login', now() + interval '1 minute')`;
  await db.sql`
    insert into email_tokens (token_hash, user_id, purpose, email, mail_id, expires_at)
    values ('expired', ${activeUser.user.id}, 'reset', '', 1, now() - interval '1 second'),
      ('valid', ${activeUser.user.id}, 'reset', '', 1, now() + interval '1 minute')`;
  await db.sql`
    insert into mail_queue (purpose, email, failed_at)
    values ('reset', 'old', now() - interval '31 days'), ('reset', 'young', now() - interval '29 days'),
      ('reset', 'waiting', null)`;

  await db.sql`
    insert into admin_jobs (id, kind, state, input, total, message, ended_at)
    values (gen_random_uuid(), 'repair-images', 'done', '{}', 0, 'old', now() - interval '31 days'),
      (gen_random_uuid(), 'repair-images', 'done', '{}', 0, 'young', now() - interval '29 days')`;
  await db.sql`
    insert into data_exports (user_id, ended_at)
    values (${idleUser.user.id}, now() - interval '25 hours'), (${activeUser.user.id}, now() - interval '23 hours')`;
  await db.sql`
    insert into poll_reports (user_id, reason, text, created_at)
    values (${activeUser.user.id}, 'other', 'old', now() - interval '366 days'),
      (${activeUser.user.id}, 'other', 'young', now() - interval '364 days')`;
  await db.sql`
    with subscription as (
      insert into push_subscriptions (session_id, endpoint, p256dh, auth)
      select id, 'https://push.example', '', '' from sessions where user_id = ${activeUser.user.id} returning id
    )
    insert into push_queue (subscription_id, first_id, last_id, last_error, failed_at)
    select id, 1, 1, error, failed_at from subscription, (values
      ('old', now() - interval '8 days'), ('young', now() - interval '6 days')) failed (error, failed_at)`;

  await removeExpired(db);
  expect(await db.sql`select user_id from data_exports`).toEqual([{ user_id: activeUser.user.id }]);
  expect(await db.sql`select text from poll_reports`).toEqual([{ text: 'young' }]);
  expect(await db.sql`select last_error from push_queue`).toEqual([{ last_error: 'young' }]);
  expect(await db.sql`select message from admin_jobs`).toEqual([{ message: 'young' }]);
  expect(await db.sql`select user_id from sessions`).toEqual([{ user_id: activeUser.user.id }]);
  expect(await db.sql`select key from rate_limits`).toEqual([{ key: 'running' }]);
  expect(await db.sql`select key from recent_calls`).toEqual([{ key: 'running' }]);
  expect(await db.sql`select hash from passkey_challenges`).toEqual([{ hash: 'valid' }]);
  expect(await db.sql`select token_hash from email_tokens`).toEqual([{ token_hash: 'valid' }]);
  expect(await db.sql`select email from mail_queue where email is not null order by email`).toEqual([
    { email: 'waiting' },
    { email: 'young' },
  ]);
  expect(await db.sql`select fingerprint from mutation_receipts order by 1`).toEqual([
    { fingerprint: 'refused lately' },
    { fingerprint: 'young' },
  ]);
});

test('a statement deletes at most 10,000 expired rows', async () => {
  await db.sql`insert into rate_limits select 'expired ' || n, 1, now() - interval '1 second' from generate_series(1, 20001) n`;
  const remaining: number[] = [];
  const watched = afterStatement(
    db,
    'delete from "rate_limits"',
    async () => {
      const [row] = await db.sql<[{ rows: number }]>`
        select count(*)::int as rows from rate_limits where expire < now()`;
      remaining.push(row.rows);
    },
    Number.POSITIVE_INFINITY,
  );
  await removeExpired(watched);
  expect(remaining).toEqual([10_001, 1, 0]);
});

test('housekeeping runs at startup, and reports an error without throwing it', async () => {
  await db.sql`insert into rate_limits values ('expired', 1, now() - interval '1 second')`;
  const onError = vi.fn();
  const stop = startHousekeeping(deps, onError);
  await expect.poll(async () => (await db.sql`select from rate_limits where key = 'expired'`).count).toBe(0);
  await stop();

  const broken = afterStatement(db, 'delete from "sessions"', () =>
    Promise.reject(new Error('database unavailable')),
  );
  await runHousekeeping({ ...deps, db: broken }, onError);
  expect(onError).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ cause: new Error('database unavailable') }),
  );
});

test('a stopped round ends after the current statement, without an error', async () => {
  await db.sql`insert into rate_limits values ('expired', 1, now() - interval '1 second')`;
  const stops: Promise<void>[] = [];
  const stoppedMeanwhile = afterStatement(db, 'delete from "sessions"', async () => {
    stops.push(stop());
  });
  const onError = vi.fn();
  const stop = startHousekeeping({ ...deps, db: stoppedMeanwhile }, onError);
  await expect.poll(() => stops.length).toBe(1);
  await Promise.all(stops);
  expect((await db.sql`select from rate_limits where key = 'expired'`).count).toBe(1);
  expect(onError).not.toHaveBeenCalled();
});

test('housekeeping vacuums an embedded database, but not PostgreSQL, which has autovacuum', async () => {
  const countVacuums = async () => {
    const [row] = await db.sql<[{ count: number }]>`
      select vacuum_count::int as count from pg_stat_user_tables where relname = 'rate_limits'`;
    return row.count;
  };
  const countBefore = await countVacuums();
  await db.sql`insert into rate_limits select 'vacuumed ' || n, 1, now() from generate_series(1, 100) n`;
  // Otherwise the counts of changed rows, which decide about a vacuum, are updated at most once a second.
  await db.sql`select pg_stat_force_next_flush()`;
  await runHousekeeping(deps, () => {});
  expect((await countVacuums()) - countBefore).toBe(db.kind === 'embedded' ? 1 : 0);
});

test('mails in files are deleted after 7 days', async () => {
  const folder = join(deps.env.dataDir, 'mail');
  await mkdir(folder, { recursive: true });
  const files = { 'old.eml': 8, 'unfinished.eml.part': 8, 'young.eml': 6, 'notes.txt': 8 };
  for (const [name, ageDays] of Object.entries(files)) {
    await writeFile(join(folder, name), '');
    const writtenS = Date.now() / 1_000 - ageDays * 86_400;
    await utimes(join(folder, name), writtenS, writtenS);
  }
  const onError = vi.fn();
  await runHousekeeping(deps, onError);
  expect((await readdir(folder)).toSorted()).toEqual(['notes.txt', 'young.eml']);

  // With an SMTP server there is no such folder.
  await rm(folder, { recursive: true });
  await runHousekeeping(deps, onError);
  expect(onError).not.toHaveBeenCalled();
});

test('a round that takes longer than the interval delays the next round, but missed rounds are not made up for', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { promise, resolve: endFirstRound } = Promise.withResolvers<void>();
  const work = vi.fn(async () => {}).mockReturnValueOnce(promise);
  const stop = every(1_000, () => {}, work);
  await vi.advanceTimersByTimeAsync(5_500);
  expect(work).toHaveBeenCalledTimes(1);
  endFirstRound();
  await vi.advanceTimersByTimeAsync(400);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).toHaveBeenCalledTimes(2);
  await stop();
});
