import { recordAudit } from '#api/admin/audit.ts';
import { liftTimeLimit, lockTarget, type UserTarget } from '#api/admin/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { unqueueMails } from '#api/mail/mail-queue.ts';
import type { MessageAnswer } from '#shared/accounts/schema.ts';

/**
 * Deletes a user with all that is personal: account, sessions, sockets, mails, links and receipts. Their polls, votes
 * and ledger entries stay without a name, so that tallies and sums hold. Throws `not_found` or `protected_account`.
 */
export async function deleteUser(
  { db, feed, live }: Pick<Deps, 'db' | 'feed' | 'live'>,
  target: UserTarget,
): Promise<MessageAnswer> {
  const { userId, adminId } = target;
  await inTransaction(db, async (tx) => {
    await liftTimeLimit(tx);
    // Before who referred them, as where an address is confirmed: else the two wait for each other in a circle.
    await tx.sql`select from users where referred_by = ${userId} order by id for no key update`;
    const user = await lockTarget(tx, target);
    // Before the links, as in every transaction about mails; one for a new password knows the address alone.
    await unqueueMails(tx, user);
    // The foreign keys do the rest.
    await tx.sql`delete from users where id = ${userId}`;
    await recordAudit(tx, { adminId, action: 'user.delete', target: `user ${userId}` });
  });
  feed.drop();
  live.publish({ type: 'sessions', userId });
  return { message: 'The user was deleted.' };
}
