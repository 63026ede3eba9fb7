import { expect, test, vi } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { removeExpired, startHousekeeping } from './housekeeping.ts';

const { db, signUp } = await createTestApp();

test('what has run out goes, all else stays', async () => {
  const kept = await signUp();
  const idle = await signUp();
  const old = await signUp();
  await db.sql`update sessions set last_seen_at = now() - interval '15 days' where user_id = ${idle.user.id}`;
  await db.sql`update sessions set created_at = now() - interval '61 days' where user_id = ${old.user.id}`;
  await db.sql`
    insert into rate_limits values ('over', 1, now() - interval '1 second'), ('running', 1, now() + interval '1 hour')`;
  await db.sql`
    insert into mutation_receipts (user_id, key, route, fingerprint, status, created_at)
    values (${kept.user.id}, gen_random_uuid(), 'vote', 'old', 200, now() - interval '91 days'),
      (${kept.user.id}, gen_random_uuid(), 'vote', 'young', 200, now() - interval '89 days')`;

  await removeExpired(db);
  expect(await db.sql`select user_id from sessions`).toEqual([{ user_id: kept.user.id }]);
  expect(await db.sql`select key from rate_limits`).toEqual([{ key: 'running' }]);
  expect(await db.sql`select fingerprint from mutation_receipts`).toEqual([{ fingerprint: 'young' }]);
});

test('it is done at the start, and a failure is told and harms nothing', async () => {
  await db.sql`insert into rate_limits values ('over', 1, now() - interval '1 second')`;
  const onError = vi.fn();
  await startHousekeeping(db, onError)();
  expect((await db.sql`select from rate_limits where key = 'over'`).count).toBe(0);

  const broken = Object.assign(() => Promise.reject(new Error('away')), db.sql);
  await startHousekeeping({ ...db, sql: broken }, onError)();
  expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('away'));
});
