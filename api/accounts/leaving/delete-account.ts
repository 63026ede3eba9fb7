import { and, eq, inArray, type SQL } from 'drizzle-orm';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { polls } from '#api/db/schema/polls.ts';
import { pollReports } from '#api/db/schema/reports.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { deleteImagesOfRemovedPolls } from '#api/images/withheld-images.ts';
import { unqueueMails } from '#api/mail/mail-queue.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { removeExports } from './export-files.ts';

export type DeletionDeps = Pick<Deps, 'db' | 'env' | 'listCache' | 'images' | 'live' | 'log'>;

type Deletion = {
  userId: number;
  /** Only a user who meets this condition is deleted. */
  condition?: SQL | undefined;
  /**
   * Called in the transaction, with the user's row locked, before anything is deleted. Also called if no row was found, so that
   * it can throw `not_found`. If it throws, no row is deleted.
   */
  prepare?(tx: Transaction): Promise<void>;
};

/**
 * Deletes a user with all personal data, in one transaction, and closes their sockets. If they have chosen so in a request for
 * the deletion, their polls and images are deleted, too; otherwise polls are kept anonymously, as votes and ledger entries are,
 * so that tallies and sums remain right.
 */
export async function deleteAccount(
  { db, env, listCache, images, live, log }: DeletionDeps,
  { userId, condition, prepare }: Deletion,
): Promise<void> {
  const isTarget = and(eq(users.id, userId), condition);
  const wantsPollsDeleted = and(isTarget, eq(users.deletionPolls, 'remove'));
  const makerToDelete = db.orm.select({ id: users.id }).from(users).where(wantsPollsDeleted);
  // First the images of those polls that an administrator has removed: they are withheld only as long as the poll's row exists.
  await deleteImagesOfRemovedPolls({ db, images }, inArray(polls.userId, makerToDelete));
  const deleted = await inTransaction(db, async (tx) => {
    // No timeout: a poll can have a million votes. Tagged SQL: the builder cannot change settings.
    await tx.sql`set local statement_timeout = 0`;
    await lockRelatedRows(tx, userId);
    // Until the transaction ends, no row that refers to the user can be added.
    const [user] = await tx.orm
      .select({ id: users.id, email: users.email, polls: users.deletionPolls })
      .from(users)
      .where(isTarget)
      .for('update');
    await prepare?.(tx);
    // The user has cancelled the deletion, or another process was faster.
    if (user === undefined) return null;
    // The deletion changes the accounts that the user has referred. Like votes, it locks users in the order of their ids:
    // friends have signed up later.
    await lockRows(tx, users, eq(users.referredBy, userId));
    const deletedPolls = user.polls === 'remove' ? await deletePollsOf(tx, userId) : [];
    const exportIds = await deleteRows(tx, user);
    const active = deletedPolls.filter((poll) => poll.active).length;
    await addToTotals(tx, { active: -active, total: -deletedPolls.length });
    return { deletedPolls, exportIds };
  });
  if (deleted === null) return;
  listCache.drop();
  live.publish({ type: 'sessions', userId });
  await removeExports(env.dataDir, deleted.exportIds);
  for (const { id } of deleted.deletedPolls) live.publish({ type: 'poll.removed', id });
  await images
    .remove(deleted.deletedPolls.flatMap(({ image1, image2 }) => [image1, image2]))
    .catch((err: unknown) => {
      log.warn({ err }, 'The images of a deleted account could not be removed');
    });
}

/**
 * Locks the rows that other transactions lock before the user's row; locking them later could deadlock. These are the user's
 * polls (votes and decisions notify the maker) and their reports (decisions notify the reporters).
 */
async function lockRelatedRows(tx: Transaction, userId: number): Promise<void> {
  await lockRows(tx, polls, eq(polls.userId, userId));
  await lockRows(tx, pollReports, eq(pollReports.userId, userId));
}

async function lockRows(
  { orm }: Transaction,
  table: typeof polls | typeof pollReports | typeof users,
  condition: SQL,
): Promise<void> {
  const { id } = table;
  await orm.select({ id }).from(table).where(condition).orderBy(id).for('no key update');
}

function deletePollsOf({ orm }: Transaction, userId: number) {
  return orm.delete(polls).where(eq(polls.userId, userId)).returning({
    id: polls.id,
    active: polls.active,
    image1: polls.option1Image,
    image2: polls.option2Image,
  });
}

/** Deletes the user's row and all that belongs to it. Returns the ids of their exports, whose files remain. */
async function deleteRows(tx: Transaction, user: { id: number; email: string }): Promise<string[]> {
  const isTheirs = eq(dataExports.userId, user.id);
  const deletedExports = await tx.orm.delete(dataExports).where(isTheirs).returning({ id: dataExports.id });
  // All transactions lock queued mails before email tokens (which the cascade below deletes). The email is passed because a
  // queued password reset has no user id.
  await unqueueMails(tx, user);
  // The foreign keys delete or anonymise everything else.
  await tx.orm.delete(users).where(eq(users.id, user.id));
  return deletedExports.map(({ id }) => id);
}
