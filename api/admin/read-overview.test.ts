import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditOf, signUpAdmin } from '#api/testing/admins.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import { openPoll, seedPolls } from '#api/testing/poll-factory.ts';
import { decide, postReport, reportedPoll } from '#api/testing/reports.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { auditPageSchema, overviewSchema } from '#shared/admin/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import { readOverview } from './read-overview.ts';
import { createStorageMeter } from './storage-meter.ts';

const app = await createTestApp();
const { db, deps } = app;
let admin: TestUser;

/** The date in UTC, such as `2026-01-31`. */
const dateDaysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const readUncached = () => readOverview(db, createStorageMeter(deps.images.storage));

beforeAll(async () => {
  admin = await signUpAdmin(app);
});

describe('the overview', () => {
  test('counts each poll under the first status that matches', async () => {
    const ids = await seedPolls(app, admin.user.id, 10);
    // Polls 0 to 4 have all responses, 3 to 7 have expired, and 0, 3 and 9 are inactive. Lists of ids as PostgreSQL writes arrays.
    const completed = `{${ids.slice(0, 5).join()}}`;
    const expired = `{${ids.slice(3, 8).join()}}`;
    const inactive = `{${[ids[0], ids[3], ids[9]].join()}}`;
    await db.sql`update polls set responses_wanted = 10, votes1 = 10 where id = any(${completed}::uuid[])`;
    await db.sql`update polls set closes_at = now() - interval '1 second' where id = any(${expired}::uuid[])`;
    await db.sql`update polls set active = false where id = any(${inactive}::uuid[])`;
    await db.sql`update poll_totals set active = active - 3`;
    expect((await readUncached()).polls).toEqual({ active: 1, inactive: 3, expired: 4, completed: 2 });
  });

  test('has an entry for each of the last fourteen days in UTC, oldest first, even without events', async () => {
    await db.sql`
      insert into votes (poll_id, user_id, option, created_at)
      select polls.id, null, 1, moment.at from (select id from polls limit 1) polls, (values
        (date_trunc('day', now() at time zone 'utc') at time zone 'utc'),
        (date_trunc('day', now() at time zone 'utc') at time zone 'utc' - interval '1 second'),
        (date_trunc('day', now() at time zone 'utc') at time zone 'utc' - interval '13 days'),
        (date_trunc('day', now() at time zone 'utc') at time zone 'utc' - interval '13 days 1 second')
      ) moment (at)`;
    const { days, votes, users } = await readUncached();
    expect(days.map(({ day }) => day)).toEqual(
      Array.from({ length: 14 }, (_, index) => dateDaysAgo(13 - index)),
    );
    expect(days.map((day) => day.votes)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    expect(days.reduce((sum, { signUps }) => sum + signUps, 0)).toBe(1);
    expect({ votes, users }).toEqual({ votes: 4, users: 1 });
  });

  test('counts the waiting mails, but not those that were given up', async () => {
    const before = (await readUncached()).mailsWaiting;
    await app.signUp();
    await db.sql`insert into mail_queue (purpose, email, failed_at) values ('reset', 'x@example.org', now())`;
    expect((await readUncached()).mailsWaiting).toBe(before + 1);
  });

  test('measures the size of the database and of the images', async () => {
    const before = (await readUncached()).storageBytes;
    await writeFile(join(uploadsFolder(deps), 'large'), Buffer.alloc(3_000_000));
    const after = (await readUncached()).storageBytes;
    expect(before).toBeGreaterThan(1_000_000);
    expect(after - before).toBeGreaterThanOrEqual(3_000_000);
    expect(after - before).toBeLessThan(3_500_000);
  });

  test('is cached for a few seconds for all administrators', async () => {
    const first = overviewSchema.parse(await (await admin.get('/api/admin/overview')).json());
    expect(first.users).toBe(2);
    const otherAdmin = await signUpAdmin(app);
    expect(await (await otherAdmin.get('/api/admin/overview')).json()).toEqual(first);
  });
});

describe('the audit log', () => {
  test('lists its newest entries first, in pages', async () => {
    const { user } = await app.signUp();
    for (const verb of ['suspend', 'unsuspend', 'suspend'])
      await admin.post(`/api/admin/users/${user.id}/${verb}`);
    const readPage = async (query: string) =>
      auditPageSchema.parse(await (await admin.get(`/api/admin/audit${query}`)).json());
    const page = await readPage('?limit=2');
    expect(page.pagination).toEqual({ page: 1, limit: 2, total: 3, pages: 2 });
    expect(page.entries.map(({ action }) => action)).toEqual(['user.suspend', 'user.unsuspend']);
    expect(page.entries[0]).toMatchObject({
      admin: { id: admin.user.id, username: admin.user.username },
      target: `user ${user.id}`,
    });
    expect((await readPage('?limit=2&page=2')).entries).toHaveLength(1);
    expect((await readPage('?page=3')).entries).toEqual([]);
    expect(await auditOf(app, `user ${user.id}`)).toHaveLength(3);
  });

  test('shows the current names of users and polls, and only the ids of deleted ones', async () => {
    const maker = await app.signUp();
    const poll = await openPoll(app, maker, { question: 'Named or numbered?' });
    const { user } = await app.signUp({ username: 'gone-soon' });
    await admin.post(`/api/admin/polls/${poll.id}/deactivate`);
    await admin.delete(`/api/admin/users/${user.id}`);
    await admin.post(`/api/admin/users/${maker.user.id}/suspend`);
    const { entries } = auditPageSchema.parse(await (await admin.get('/api/admin/audit?limit=3')).json());
    expect(entries.map(({ target, targetName }) => [target, targetName])).toEqual([
      [`user ${maker.user.id}`, maker.user.username],
      [`user ${user.id}`, null],
      [`poll ${poll.id}`, 'Named or numbered?'],
    ]);
  });

  test('says of every entry about a poll whether the poll is removed', async () => {
    const { poll } = await reportedPoll(app, 1);
    await decide(admin, poll.id, 'keep');
    await postReport(await app.signUp(), poll.id);
    const areRemoved = async () => {
      const { entries } = auditPageSchema.parse(await (await admin.get('/api/admin/audit')).json());
      return entries.flatMap((entry) => (entry.target === `poll ${poll.id}` ? entry.isTargetRemoved : []));
    };
    expect(await areRemoved()).toEqual([false]);
    await decide(admin, poll.id, 'remove');
    expect(await areRemoved()).toEqual([true, true]);
    await decide(admin, poll.id, 'undo');
    expect(await areRemoved()).toEqual([false, false, false]);
  });

  test('has no entry for an action that was refused', async () => {
    const count = async () => (await (await admin.get('/api/admin/audit')).json()).pagination.total;
    const before = await count();
    await admin.delete('/api/admin/users/99999999');
    await admin.delete(`/api/admin/polls/${crypto.randomUUID()}`);
    expect(await count()).toBe(before);
  });
});
