import { and, eq, inArray, lte, not, sql } from 'drizzle-orm';
import { deleteAccount, lockRelatedRows } from '#api/accounts/leaving/delete-account.ts';
import { removeExports } from '#api/accounts/leaving/export-files.ts';
import { polls } from '#api/db/schema/polls.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { deleteWithheldImages } from '#api/images/withheld-images.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';

type DeletionDeps = Pick<Deps, 'db' | 'env' | 'listCache' | 'images' | 'live' | 'log'>;

/** Excludes users who have become administrators since they requested the deletion. */
const isDue = and(lte(users.deletionDueAt, sql`now()`), not(users.isAdmin));

/**
 * Deletes the accounts whose users requested it seven days ago, each in one transaction. A failed deletion does not stop the
 * others, and is retried in the next round. Safe in several processes at once.
 */
export async function deleteDueAccounts(deps: DeletionDeps): Promise<void> {
  const due = await deps.db.orm
    .select({ id: users.id })
    .from(users)
    .where(isDue)
    .orderBy(users.deletionDueAt);
  for (const { id } of due) {
    await deleteDueAccount(deps, id).catch((err: unknown) => {
      deps.log.error({ err, userId: id }, 'An account due for deletion could not be deleted');
    });
  }
}

async function deleteDueAccount(
  { db, env, listCache, images, live, log }: DeletionDeps,
  userId: number,
): Promise<void> {
  const isDueWithPolls = and(eq(users.id, userId), isDue, eq(users.deletionPolls, 'remove'));
  const leaving = db.orm.select({ id: users.id }).from(users).where(isDueWithPolls);
  await deleteWithheldImages({ db, images }, inArray(polls.userId, leaving));
  const deletion = await inTransaction(db, async (tx) => {
    // No timeout: a poll can have a million votes. Tagged SQL: the builder cannot change settings.
    await tx.sql`set local statement_timeout = 0`;
    await lockRelatedRows(tx, userId);
    const [user] = await tx.orm
      .select({ id: users.id, email: users.email, polls: users.deletionPolls })
      .from(users)
      .where(and(eq(users.id, userId), isDue))
      .for('update');
    // The user has cancelled the deletion, or another process was faster.
    if (user === undefined) return null;
    const deletedPolls = user.polls === 'remove' ? await deletePollsOf(tx, userId) : [];
    const exportIds = await deleteAccount(tx, user);
    const active = deletedPolls.filter((poll) => poll.active).length;
    await addToTotals(tx, { active: -active, total: -deletedPolls.length });
    return { deletedPolls, exportIds };
  });
  if (deletion === null) return;
  listCache.drop();
  live.publish({ type: 'sessions', userId });
  await removeExports(env.dataDir, deletion.exportIds);
  for (const { id } of deletion.deletedPolls) live.publish({ type: 'poll.removed', id });
  await images
    .remove(deletion.deletedPolls.flatMap(({ image1, image2 }) => [image1, image2]))
    .catch((err: unknown) => {
      log.warn({ err }, 'The images of a deleted account could not be removed');
    });
}

function deletePollsOf({ orm }: Transaction, userId: number) {
  return orm.delete(polls).where(eq(polls.userId, userId)).returning({
    id: polls.id,
    active: polls.active,
    image1: polls.option1Image,
    image2: polls.option2Image,
  });
}
