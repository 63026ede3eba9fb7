import { expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { ReportsPage } from '#shared/admin/schema.ts';

const app = await createTestApp();
const { db } = app;
const admin = await signUpAdmin(app);

/** Resolves once this number of statements wait for locks of other transactions. */
async function untilWaiting(count: number): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting.count).toBe(count);
  });
}

test.each([
  // What the first call waits for: the undo with the report reopened, the withdrawal before it marks the report.
  ['during', 'undo', 'mail_queue'],
  ['just before', 'take back', 'poll_reports'],
] as const)(
  'a report that is taken back %s the undo of a decision does not count afterwards',
  async (_moment, first, lockedTable) => {
    const { poll, reporters } = await reportedPoll(app, 2);
    await decide(admin, poll.id, 'remove');
    const undo = () => decide(admin, poll.id, 'undo');
    const takeBack = () => (reporters[0] ?? admin).delete(`/api/questions/${poll.id}/report`);
    const calls = first === 'undo' ? [undo, takeBack] : [takeBack, undo];
    const { responding } = await inTransaction(db, async ({ sql }) => {
      await sql`select from ${sql(lockedTable)} where poll_id = ${poll.id} for update`;
      const responses: Promise<Response>[] = [];
      for (const call of calls) {
        responses.push(call());
        await untilWaiting(responses.length);
      }
      // In an object, since a returned promise would be awaited before the commit for which both wait.
      return { responding: Promise.all(responses) };
    });
    expect((await responding).map(({ status }) => status)).toEqual([200, 200]);
    const { reports }: ReportsPage = await (await admin.get('/api/admin/reports?limit=100')).json();
    expect(reports.find(({ id }) => id === poll.id)?.reports).toBe(1);
  },
);
