import type { Database, Handle } from '#api/db/client.ts';
import { inSavepoint, inTransaction, type Transaction } from '#api/db/transaction.ts';
import { AppError } from '#api/errors.ts';
import { findOutcome, type Outcome, type Receipt, replaceOutcome, storeOutcome } from '#api/http/receipts.ts';
import type { ProcessedImage } from '#api/images/image-pipeline.ts';
import type { StagedImages } from '#api/images/image-store.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { pollCost } from '#shared/polls/rules.ts';
import type { CreatePollFields } from '#shared/polls/schema.ts';
import { addToTotals } from './poll-rows.ts';
import { insertPoll, isPaid, readIdState } from './queries.ts';

export type Draft = { id: string; userId: number; fields: CreatePollFields; processed: ProcessedImage[] };

/** Undoes the savepoint: the creation is refused with this code. */
class Refusal extends Error {
  readonly code: 'id_taken' | 'insufficient_points';

  constructor(code: Refusal['code']) {
    super(code);
    this.code = code;
  }
}

/**
 * The one transaction. Whatever ends it without a poll leaves no file. The renames of the images are awaited in
 * it (decision 002 says why): its lock keeps the sweep from taking them for orphans.
 */
export async function storePoll(
  db: Database,
  draft: Draft,
  staged: StagedImages,
  receipt: Receipt | null,
): Promise<Outcome> {
  const done: Outcome = { status: 201, code: null, entityId: draft.id, isReplay: false };
  let isCommitting = false;
  let outcome: Outcome | null = null;
  try {
    outcome = await inTransaction(db, async (tx) => {
      // While another request with this key is under way this waits for its end, and then stores nothing.
      if (receipt !== null && !(await storeOutcome(tx, receipt, done))) return null;
      const refused = await payAndInsert(tx, draft, staged);
      if (refused !== null && receipt !== null) await replaceOutcome(tx, receipt, refused);
      isCommitting = true;
      return refused ?? done;
    });
  } finally {
    // A commit whose answer got lost may have happened: then the files stay, and the sweep has the last word.
    const isUncertain = isCommitting && outcome === null;
    if (outcome !== done && !isUncertain) await staged.discard();
  }
  const settled = outcome ?? (await findOutcome(db, receipt));
  if (settled === null) throw new AppError('in_flight', { retryAfterSeconds: 1 });
  return settled;
}

async function payAndInsert(tx: Transaction, draft: Draft, staged: StagedImages): Promise<Outcome | null> {
  const { id, userId, fields } = draft;
  const delta = -pollCost(fields.responsesWanted);
  try {
    await inSavepoint(tx, async (part) => {
      const images = draft.processed.map((image, index) => ({
        ...image,
        path: staged.paths[index] ?? '',
      }));
      if (!(await insertPoll(part, { id, userId, fields, images }))) throw new Refusal('id_taken');
      const paid = await creditPoints(part, {
        userId,
        delta,
        reason: 'poll',
        source: `poll:${id}`,
      });
      if (paid === null) {
        // An id that was paid for once and whose poll is gone is no free id.
        throw new Refusal((await isPaid(part, userId, id)) ? 'id_taken' : 'insufficient_points');
      }
      await staged.publish(part);
      await addToTotals(part, { active: 1, total: 1 });
    });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const taken = error.code === 'id_taken' ? await findTakenId(tx, id, userId) : null;
    return taken ?? { status: ERROR_STATUS[error.code], code: error.code, entityId: id, isReplay: false };
  }
}

/**
 * What becomes of a creation whose id was used before; null when it was not. Whoever made that poll has made it, also
 * when it is gone since: its price was paid, and is not taken or asked for again.
 */
export async function findTakenId(handle: Handle, pollId: string, userId: number): Promise<Outcome | null> {
  const state = await readIdState(handle, userId, pollId);
  if (state === 'made') return { status: 200, code: null, entityId: pollId, isReplay: true };
  return state === 'taken' ? { status: 409, code: 'id_taken', entityId: pollId, isReplay: false } : null;
}
