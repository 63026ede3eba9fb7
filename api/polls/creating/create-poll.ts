import { v7 as uuidv7 } from 'uuid';
import type { Handle } from '#api/db/client.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { type Attempt, countAttempt } from '#api/http/limits/attempts.ts';
import { findOutcome, type Outcome, type Receipt, settleOutcome } from '#api/http/receipts.ts';
import { requireSameEpoch, requireUserRow, toOwnUser, type UserRow } from '#api/http/session/session-user.ts';
import { isDecodeFailure } from '#api/images/decode-error.ts';
import type { UploadedFile } from '#api/images/image-form.ts';
import type { ImagePipeline, ProcessedImage } from '#api/images/image-pipeline.ts';
import { userChanged } from '#api/live/live-events.ts';
import { findPoll } from '#api/polls/poll-rows.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import { readIdState } from '#api/polls/queries.ts';
import { insufficientPointsMessage, pollCost } from '#shared/polls/rules.ts';
import type { MutationResponse } from '#shared/polls/schema.ts';
import { IMAGE_FIELDS, type PollForm } from './read-poll-form.ts';
import { findOutcomeOfId, storePoll } from './store-poll.ts';

type Creation = {
  user: UserRow;
  /** The Idempotency-Key, if any. */
  key: string | null;
  form: PollForm;
  caller: Caller;
  /** If it exceeds the limits, only a repetition of an earlier creation succeeds. */
  attempt: Attempt;
};

type CreatedPoll = MutationResponse & { status: 200 | 201 };

/**
 * Creates a poll and deducts its cost, or does nothing. Cheap checks come first: the receipt, the poll id, the input, the
 * points; then the images are decoded. Throws `key_reused`, `in_flight`, `rate_limited`, `invalid_input`,
 * `insufficient_points`, `id_taken`, the errors of the images, and what `requireSameEpoch` throws.
 */
export async function createPoll(deps: Deps, creation: Creation): Promise<CreatedPoll> {
  const { user, key } = creation;
  if (key === null) return createOnce(deps, creation);
  // The receipt would serialise requests with one key, too, but only after each of them has decoded its images.
  return deps.keyedMutex.run(`${user.id} ${key.toLowerCase()}`, () => createOnce(deps, creation));
}

async function createOnce(deps: Deps, creation: Creation): Promise<CreatedPoll> {
  const { db, images, listCache, live } = deps;
  const { user, key, form, attempt } = creation;
  const receipt: Receipt | null = key === null ? null : toReceipt(user.id, key, form);

  // The points are read before the receipt: in the opposite order, a concurrent request could pay for this same poll between the
  // two reads, and this request would be refused for too few points.
  const { points } = await requireSameEpoch(db, user);
  const existing = (await findOutcome(db, receipt)) ?? (await settleKnownId(deps, creation, receipt));
  if (existing !== null) return respondWith(deps, creation, existing);
  if (attempt.refusal !== null) throw attempt.refusal;

  const { fields, images: files } = form.check();
  const id = form.id ?? uuidv7();
  const cost = pollCost(fields.responsesWanted);
  if (points < cost) {
    const refused: Outcome = { status: 402, code: 'insufficient_points', entityId: id, isReplay: false };
    return respondWith(deps, creation, await settleOutcome(db, receipt, refused));
  }

  const processed = await decodeWithinLimit(deps, files, creation);
  const staged = await images.stage(processed);
  const outcome = await storePoll(db, { id, user, fields, processed }, staged, receipt);
  if (outcome.status !== 201) return respondWith(deps, creation, outcome);
  listCache.drop();
  live.publish({ type: 'poll.created', id });
  const created = await respondWith(deps, creation, outcome);
  live.publish(userChanged(user.id, created.user));
  return created;
}

function toReceipt(userId: number, key: string, { fingerprint, id }: PollForm): Receipt {
  const isDone = async (handle: Handle) => id !== null && (await readIdState(handle, userId, id)) === 'made';
  return { userId, key, route: 'create', fingerprint, entityId: id, isDone };
}

/**
 * The outcome if the client's poll id is in use already; else null. If this user has used it, the response has the existing poll,
 * or none if that was deleted; if somebody else has, the outcome is a refusal.
 */
async function settleKnownId(
  { db }: Deps,
  { user, form }: Creation,
  receipt: Receipt | null,
): Promise<Outcome | null> {
  const existing = form.id === null ? null : await findOutcomeOfId(db, form.id, user.id);
  return existing === null ? null : settleOutcome(db, receipt, existing);
}

/** Decodes the images, unless too many images of this user could not be decoded. Also throws `rate_limited`. */
async function decodeWithinLimit(
  { imagePipeline, limits }: Deps,
  files: readonly UploadedFile[],
  { user, caller }: Creation,
): Promise<ProcessedImage[]> {
  // Counted before decoding, so that concurrent uploads are counted, too.
  const { refusal, undo } = await countAttempt([limits.failedDecodes], user.id);
  if (refusal !== null) throw refusal;
  try {
    const decoded = await decodeBoth(imagePipeline, files, caller);
    await undo();
    return decoded;
  } catch (error) {
    if (!isDecodeFailure(error)) await undo();
    throw error;
  }
}

/**
 * Decodes one image after the other. In parallel, an image that is too complex would get `busy` instead of `undecodable`, since
 * it would not be decoded alone (see `toImageError`).
 */
async function decodeBoth(
  imagePipeline: ImagePipeline,
  files: readonly UploadedFile[],
  caller: Caller,
): Promise<ProcessedImage[]> {
  const decoded: ProcessedImage[] = [];
  for (const [index, file] of files.entries()) {
    try {
      decoded.push(await imagePipeline.process(file.path, caller));
    } catch (error) {
      if (caller.signal?.aborted)
        throw new AppError('invalid_input', { message: 'The upload was cancelled', cause: error });
      if (!(error instanceof AppError) || error.code === 'busy') throw error;
      const { code, message } = error;
      const path = IMAGE_FIELDS[index] ?? '';
      throw new AppError(code, { message, issues: [{ path, message }], cause: error });
    }
  }
  return decoded;
}

/** The response to `outcome`; throws the error of a refusal. If this request is a repetition, its attempt is no longer counted. */
async function respondWith(
  { db, shareLinks }: Deps,
  creation: Creation,
  outcome: Outcome,
): Promise<CreatedPoll> {
  const { user, form, attempt } = creation;
  if (outcome.isReplay) await attempt.undo();
  if (outcome.code === 'insufficient_points') {
    const cost = pollCost(form.check().fields.responsesWanted);
    throw new AppError(outcome.code, { message: insufficientPointsMessage(cost) });
  }
  if (outcome.code !== null) throw new AppError(outcome.code);
  const poll = outcome.entityId === null ? null : await findPoll(db, outcome.entityId, user.id);
  const viewer = await requireUserRow(db, user.id);
  return {
    status: outcome.status === 200 ? 200 : 201,
    poll: poll === null ? null : toPoll(shareLinks, poll, viewer, poll.vote, Date.now()),
    user: toOwnUser(viewer),
  };
}
