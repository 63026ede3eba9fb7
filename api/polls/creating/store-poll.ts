import type { Database, Handle } from '#api/db/client.ts';
import { inSavepoint, inTransaction, type Transaction } from '#api/db/transaction.ts';
import { AppError } from '#api/errors.ts';
import { findOutcome, type Outcome, type Receipt, replaceOutcome, storeOutcome } from '#api/http/receipts.ts';
import { requireSameEpoch, type UserRow } from '#api/http/session/session-user.ts';
import type { ProcessedImage } from '#api/images/image-pipeline.ts';
import type { StagedImages } from '#api/images/image-store.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { hasPaidFor, insertPolls, readIdState } from '#api/polls/queries.ts';
import { pollCost } from '#shared/polls/rules.ts';
import type { CreatePollFields } from '#shared/polls/schema.ts';

type PollToStore = {
  id: string;
  user: UserRow;
  fields: CreatePollFields;
  processed: ProcessedImage[];
};

/**
 * Stores the poll in one transaction; if that fails, no file is left. The images are moved into place within the transaction: its
 * lock keeps the sweep of unused files from deleting them as orphans (see decision 002). Throws as `requireSameEpoch` does, since
 * upload and decoding may have taken minutes, and what `staged.publish` throws.
 */
export async function storePoll(
  db: Database,
  poll: PollToStore,
  staged: StagedImages,
  receipt: Receipt | null,
): Promise<Outcome> {
  const success: Outcome = { status: 201, code: null, entityId: poll.id, isReplay: false };
  let isCommitting = false;
  let outcome: Outcome | null = null;
  try {
    outcome = await inTransaction(db, async (tx) => {
      // Waits for a concurrent request with this key, and stores nothing if that has stored its outcome.
      if (receipt !== null && !(await storeOutcome(tx, receipt, success))) return null;
      const otherOutcome = await payAndInsert(tx, poll, staged);
      // The payment has locked the user's row, so no suspension can come before the commit.
      await requireSameEpoch(tx, poll.user);
      if (otherOutcome !== null && receipt !== null) await replaceOutcome(tx, receipt, otherOutcome);
      isCommitting = true;
      return otherOutcome ?? success;
    });
  } finally {
    // If the response to the commit was lost, the files are kept: the sweep removes them if no poll refers to them.
    const isUncertain = isCommitting && outcome === null;
    if (outcome !== success && !isUncertain) await staged.discard();
  }
  const stored = outcome ?? (await findOutcome(db, receipt));
  if (stored === null) throw new AppError('in_flight', { retryAfterSeconds: 1 });
  return stored;
}

/** Null when the poll was stored. Otherwise nothing was: the outcome is a refusal, or the success of an earlier creation. */
async function payAndInsert(
  tx: Transaction,
  poll: PollToStore,
  staged: StagedImages,
): Promise<Outcome | null> {
  const { id, fields } = poll;
  const userId = poll.user.id;
  const delta = -pollCost(fields.responsesWanted);
  try {
    await inSavepoint(tx, async (part) => {
      const images = poll.processed.map((image, index) => ({ ...image, path: staged.paths[index] ?? '' }));
      if ((await insertPolls(part, [{ ...fields, id, userId, images }])) === 0)
        throw new AppError('id_taken');
      const paid = await creditPoints(part, { userId, delta, reason: 'poll', source: `poll:${id}` });
      if (paid === null) {
        // `id_taken` if the user has already paid for a poll with this id, which was then deleted.
        throw new AppError((await hasPaidFor(part, userId, id)) ? 'id_taken' : 'insufficient_points');
      }
      await staged.publish(part);
      await addToTotals(part, { active: 1, total: 1 });
    });
    return null;
  } catch (error) {
    // Not an outcome: the image storage may be available again when the request is repeated.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const { status, code } = error;
    const existing = code === 'id_taken' ? await findOutcomeOfId(tx, id, userId) : null;
    return existing ?? { status, code, entityId: id, isReplay: false };
  }
}

/**
 * The outcome of a creation whose id is in use; null when it is free. If the user has created that poll, the outcome is success,
 * even after the poll's deletion: its cost was paid, and is not deducted again.
 */
export async function findOutcomeOfId(
  handle: Handle,
  pollId: string,
  userId: number,
): Promise<Outcome | null> {
  const state = await readIdState(handle, userId, pollId);
  if (state === 'made') return { status: 200, code: null, entityId: pollId, isReplay: true };
  return state === 'taken' ? { status: 409, code: 'id_taken', entityId: pollId, isReplay: false } : null;
}
