import { eq } from 'drizzle-orm';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { polls } from '#api/db/schema/polls.ts';
import { pollReports } from '#api/db/schema/reports.ts';
import { users } from '#api/db/schema/users.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { unqueueMails } from '#api/mail/mail-queue.ts';

/**
 * Locks the rows that other transactions lock before the user's row; locking them later could deadlock. These are the user's
 * polls (votes and decisions notify the maker), their reports (decisions notify the reporters), and the accounts that they have
 * referred (verifying an email credits the referrer).
 */
export async function lockRelatedRows({ orm }: Transaction, userId: number): Promise<void> {
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
 * Deletes a user, whose row the caller has locked, with all personal data: account, sessions, mails, email tokens and receipts.
 * Their polls, votes and ledger entries are kept anonymously, so that tallies and sums remain right. Returns the ids of the
 * user's exports, whose files the caller removes with `removeExports` after the commit.
 */
export async function deleteAccount(tx: Transaction, user: { id: number; email: string }): Promise<string[]> {
  const isTheirs = eq(dataExports.userId, user.id);
  const deletedExports = await tx.orm.delete(dataExports).where(isTheirs).returning({ id: dataExports.id });
  // All transactions lock queued mails before email tokens (which the cascade below deletes). The email is passed because a
  // queued password reset has no user id.
  await unqueueMails(tx, user);
  // The foreign keys delete or anonymise everything else.
  await tx.orm.delete(users).where(eq(users.id, user.id));
  return deletedExports.map(({ id }) => id);
}
