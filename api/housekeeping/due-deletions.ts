import { and, lte, not, sql } from 'drizzle-orm';
import { type DeletionDeps, deleteAccount } from '#api/accounts/leaving/delete-account.ts';
import { users } from '#api/db/schema/users.ts';

/** Excludes users who have become administrators since they requested the deletion. */
const isDue = and(lte(users.deletionDueAt, sql`now()`), not(users.isAdmin));

/**
 * Deletes the accounts whose users requested it seven days ago, each in one transaction. A failed deletion does not stop the
 * others, and is retried in the next round. Safe in several processes at once. `signal` ends it after the current account.
 */
export async function deleteDueAccounts(deps: DeletionDeps, signal?: AbortSignal): Promise<void> {
  const due = await deps.db.orm
    .select({ id: users.id })
    .from(users)
    .where(isDue)
    .orderBy(users.deletionDueAt);
  for (const { id } of due) {
    signal?.throwIfAborted();
    await deleteAccount(deps, { userId: id, condition: isDue }).catch((err: unknown) => {
      deps.log.error({ err, userId: id }, 'An account due for deletion could not be deleted');
    });
  }
}
