import { v7 as uuidv7 } from 'uuid';
import type { Database, Handle } from '#api/db/client.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { ImagePipeline, ProcessedPicture } from '#api/services/image-pipeline.ts';
import type { StagedImages } from '#api/services/image-store.ts';
import type { UploadedFile } from '#api/services/image-upload.ts';
import { creditPoints } from '#api/services/ledger.ts';
import { type PollRow, toPoll } from '#api/services/poll-view.ts';
import {
  findOutcome,
  type Outcome,
  type Receipt,
  replaceOutcome,
  settleOutcome,
  storeOutcome,
} from '#api/services/receipts.ts';
import { requireUserRow, toUser, type UserRow } from '#api/services/user-view.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { pollCost } from '#shared/polls/rules.ts';
import type { CreatePollFields, MutationAnswer } from '#shared/polls/schema.ts';
import { addToActive, findPoll, insertPoll, isPaid } from './queries.ts';
import { IMAGE_FIELDS, type PollForm } from './read-poll-form.ts';

type Creation = {
  user: UserRow;
  /** The Idempotency-Key, when there is one. */
  key: string | null;
  form: PollForm;
  /** Aborts when the client hangs up. */
  signal: AbortSignal;
};

export type Created = MutationAnswer & { status: 200 | 201 };

type Draft = { id: string; user: UserRow; fields: CreatePollFields; processed: ProcessedPicture[] };

/** Undoes the savepoint: the creation is refused with this code. */
class Refusal extends Error {
  readonly code: 'id_taken' | 'insufficient_points';

  constructor(code: Refusal['code']) {
    super(code);
    this.code = code;
  }
}

/**
 * Makes a poll and takes its price, or does nothing at all. What costs little comes first: the receipt, a poll of
 * this id, the rules, the points; only then are the pictures decoded. Throws `key_reused`, `in_flight`,
 * `invalid_input`, `insufficient_points`, `id_taken`, and what the pictures throw.
 */
export async function createPoll(deps: Deps, creation: Creation): Promise<Created> {
  const { db, pictures, images, feed } = deps;
  const { user, key, form } = creation;
  const { fingerprint } = form;
  const receipt: Receipt | null =
    key === null ? null : { userId: user.id, key, route: 'create', fingerprint };

  // Read before the receipt: a balance that this very key has lowered is then never taken for a refusal.
  const { points } = await requireUserRow(db, user.id);
  const known = (await findOutcome(db, receipt)) ?? (await settleKnownId(deps, creation, receipt));
  if (known !== null) return answerCreation(deps, creation, known);

  const { fields, images: files } = form.check();
  const id = form.id ?? uuidv7();
  const cost = pollCost(fields.responsesWanted);
  if (points < cost) {
    const refused = { status: 402, code: 'insufficient_points', entityId: id } as const;
    return answerCreation(deps, creation, await settleOutcome(db, receipt, refused));
  }

  const processed = await decodeBoth(pictures, files, creation.signal);
  const staged = await images.stage(processed);
  const outcome = await storePoll(db, { id, user, fields, processed }, staged, receipt);
  if (outcome.status === 201) feed.drop();
  return answerCreation(deps, creation, outcome);
}

/** A poll of the id that the client chose is there already: its owner gets it as it is. Else null. */
async function settleKnownId(
  { db }: Pick<Deps, 'db'>,
  { user, form }: Creation,
  receipt: Receipt | null,
): Promise<Outcome | null> {
  const poll = form.id === null ? null : await findPoll(db, form.id, user.id);
  return poll === null ? null : settleOutcome(db, receipt, outcomeOfTakenId(poll, user.id));
}

function outcomeOfTakenId(poll: PollRow, userId: number): Outcome {
  return poll.userId === userId
    ? { status: 200, code: null, entityId: poll.id }
    : { status: 409, code: 'id_taken', entityId: poll.id };
}

async function decodeBoth(
  pictures: ImagePipeline,
  files: readonly UploadedFile[],
  signal: AbortSignal,
): Promise<ProcessedPicture[]> {
  const decoded = await Promise.allSettled(files.map((file) => pictures.process(file.path, signal)));
  return decoded.map((result, index) => {
    if (result.status === 'fulfilled') return result.value;
    const error: unknown = result.reason;
    if (signal.aborted)
      throw new AppError('invalid_input', { message: 'The upload was given up', cause: error });
    if (!(error instanceof AppError) || error.code === 'busy') throw error;
    const { code, message } = error;
    const path = IMAGE_FIELDS[index] ?? '';
    throw new AppError(code, { message, issues: [{ path, message }], cause: error });
  });
}

/** The one transaction. Whatever ends it without a poll leaves no file. */
async function storePoll(
  db: Database,
  draft: Draft,
  staged: StagedImages,
  receipt: Receipt | null,
): Promise<Outcome> {
  const done: Outcome = { status: 201, code: null, entityId: draft.id };
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
  const { id, user, fields } = draft;
  const delta = -pollCost(fields.responsesWanted);
  try {
    await tx.sql.savepoint(async (sql) => {
      const handle: Handle = {
        sql,
        get orm() {
          return tx.orm;
        },
      };
      const images = draft.processed.map((picture, index) => ({
        ...picture,
        path: staged.paths[index] ?? '',
      }));
      if (!(await insertPoll(handle, { id, userId: user.id, fields, images }))) throw new Refusal('id_taken');
      const paid = await creditPoints(handle, {
        userId: user.id,
        delta,
        reason: 'poll',
        source: `poll:${id}`,
      });
      if (paid === null) {
        // An id that was paid for once and whose poll is gone is no free id.
        throw new Refusal((await isPaid(handle, user.id, id)) ? 'id_taken' : 'insufficient_points');
      }
      await staged.publish(handle);
      await addToActive(handle, 1);
    });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const poll = error.code === 'id_taken' ? await findPoll(tx, id, user.id) : null;
    if (poll !== null) return outcomeOfTakenId(poll, user.id);
    return { status: ERROR_STATUS[error.code], code: error.code, entityId: id };
  }
}

async function answerCreation(
  { db }: Pick<Deps, 'db'>,
  creation: Creation,
  outcome: Outcome,
): Promise<Created> {
  const { user, form } = creation;
  if (outcome.code === 'insufficient_points') {
    const cost = pollCost(form.check().fields.responsesWanted);
    throw new AppError(outcome.code, { message: `You need ${cost} points to create a poll` });
  }
  if (outcome.code !== null) throw new AppError(outcome.code);
  const poll = outcome.entityId === null ? null : await findPoll(db, outcome.entityId, user.id);
  const viewer = await requireUserRow(db, user.id);
  return {
    status: outcome.status === 200 ? 200 : 201,
    poll: poll === null ? null : toPoll(poll, viewer, poll.vote, Date.now()),
    user: toUser(viewer),
  };
}
