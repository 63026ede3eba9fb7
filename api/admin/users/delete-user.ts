import { eq } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { liftTimeLimit, lockTarget, type UserTarget } from '#api/admin/queries.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { unqueueMails } from '#api/mail/mail-queue.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';

/**
 * Deletes a user with all that is personal: account, sessions, sockets, mails, links and receipts. Their polls, votes
 * and ledger entries stay without a name, so that tallies and sums hold. Throws `not_found` or `protected_account`.
 */
export async function deleteUser({ db, feed, live }: Deps, target: UserTarget): Promise<MessageResponse> {
  const { userId, adminId } = target;
  await inTransaction(db, async (tx) => {
    await liftTimeLimit(tx);
    // Before who referred them, as where an address is confirmed: else the two wait for each other in a circle.
    await tx.orm
      .select({ id: users.id })
      .from(users)
      .where(eq(users.referredBy, userId))
      .orderBy(users.id)
      .for('no key update');
    const user = await lockTarget(tx, target);
    // Before the links, as in every transaction about mails; one for a new password knows the address alone.
    await unqueueMails(tx, user);
    // The foreign keys do the rest.
    await tx.orm.delete(users).where(eq(users.id, userId));
    await recordAudit(tx, { adminId, action: 'user.delete', target: `user ${userId}` });
  });
  feed.drop();
  live.publish({ type: 'sessions', userId });
  return { message: 'The user was deleted.' };
}
