import { expect, test, vi } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { deleteDueAccounts } from './due-deletions.ts';

const app = await createTestApp();
const { db, deps } = app;

test('deleting an account and a poll that its user has voted on do not deadlock', async () => {
  const [leaver, maker] = [await app.signUp(), await app.signUp()];
  await openPoll(app, leaver);
  const { id } = await openPoll(app, maker);
  await postVote(leaver, id, 1);
  await db.sql`
    update users set deletion_due_at = now() - interval '1 hour', deletion_polls = 'remove' where id = ${leaver.user.id}`;
  const deletion = await inTransaction(db, async (tx) => {
    await tx.sql`delete from polls where id = ${id}`;
    const deletion = deleteDueAccounts(deps);
    await vi.waitFor(async () => expect(await countWaiting()).toBe(1));
    await addToTotals(tx, { active: -1, total: -1 });
    // In an object, since a returned promise would be awaited before the commit for which the deletion waits.
    return { ended: deletion };
  });
  await deletion.ended;
  expect((await db.sql`select from users where id = ${leaver.user.id}`).count).toBe(0);
});

test('once stopped, no further account is deleted', async () => {
  const { user } = await app.signUp();
  await db.sql`
    update users set deletion_due_at = now() - interval '1 hour', deletion_polls = 'remove' where id = ${user.id}`;
  await expect(deleteDueAccounts(deps, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect((await db.sql`select from users where id = ${user.id}`).count).toBe(1);
});

/** How many statements in this database wait for a row. */
async function countWaiting(): Promise<number> {
  const waiting = await db.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return waiting.count;
}
