import { eq } from 'drizzle-orm';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { polls } from '#api/db/schema/polls.ts';
import { pollReports } from '#api/db/schema/reports.ts';
import { users } from '#api/db/schema/users.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { unqueueMails } from '#api/mail/mail-queue.ts';

/**
 * Locks what other transactions lock before they lock the user, else the two would wait for each other in a circle: the user's
 * polls (votes and decisions tell the maker), their reports (decisions tell the reporters), and whom they have referred (who
 * verify their email).
 */
export async function lockBeforeUser({ orm }: Transaction, userId: number): Promise<void> {
  const related = [
    [polls, polls.userId],
    [pollReports, pollReports.userId],
    [users, users.referredBy],
  ] as const;
  for (const [table, userColumn] of related) {
    const { id } = table;
    await orm.select({ id }).from(table).where(eq(userColumn, userId)).orderBy(id).for('no key update');
  }
}

/**
 * Deletes a locked user with all that is personal: account, sessions, mails, links and receipts. Their polls, votes and ledger
 * entries stay without a name, so that tallies and sums hold. Returns the exports, whose files `removeExports` removes after the commit.
 */
export async function deleteAccount(tx: Transaction, user: { id: number; email: string }): Promise<string[]> {
  const isTheirs = eq(dataExports.userId, user.id);
  const exported = await tx.orm.delete(dataExports).where(isTheirs).returning({ id: dataExports.id });
  // Before the links, as in every transaction about mails; one for a new password knows the address alone.
  await unqueueMails(tx, user);
  // The foreign keys do the rest.
  await tx.orm.delete(users).where(eq(users.id, user.id));
  return exported.map(({ id }) => id);
}
