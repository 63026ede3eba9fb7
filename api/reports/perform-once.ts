import type { Handle } from '#api/db/client.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { AppDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { countAttempt, withAttempt } from '#api/http/limits/attempts.ts';
import {
  findOutcome,
  fingerprintOf,
  type Outcome,
  type Receipt,
  replaceOutcome,
  settleOutcome,
  storeUndoableOutcome,
} from '#api/http/receipts.ts';
import { requireSameEpoch, type UserRow } from '#api/http/session/session-user.ts';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';

/** A call by which polls are hidden from `user`, or shown to them again. */
type VisibilityCall = {
  user: UserRow;
  /** The Idempotency-Key, if any. */
  key: string | null;
  route: Receipt['route'];
  /** The poll that the call is about; null if it is about a user. */
  pollId: string | null;
  /** The values that distinguish two calls of this route. */
  parts: readonly string[];
  /** Whether the effect of the call exists already, whatever its key. */
  isDone(handle: Handle): Promise<boolean>;
  /** Makes the change in the transaction of its receipt. Returns null, or the code of a refusal, which changes nothing. */
  perform(tx: Transaction): Promise<ErrorCode | null>;
};

/**
 * Performs a call once per key. A repetition gets the outcome of the first call and does not count against the limit. Throws
 * `key_reused`, `in_flight`, `rate_limited`, and the errors of `requireSameEpoch`.
 */
export async function performOnce(
  { db, limits }: Pick<AppDeps, 'db' | 'limits'>,
  call: VisibilityCall,
): Promise<Outcome> {
  const { user, pollId: entityId } = call;
  const receipt = call.key === null ? null : toReceipt(call, call.key);
  const storedOutcome = await findOutcome(db, receipt);
  if (storedOutcome !== null) return storedOutcome;
  // As in the contract: the response has a body only if the call is about a poll.
  const status = entityId === null ? 204 : 200;
  const success: Outcome = { status, code: null, entityId, isReplay: false };
  const attempt = await countAttempt([limits.reports], user.id);
  if (attempt.refusal !== null) {
    if (await call.isDone(db)) return settleOutcome(db, receipt, { ...success, isReplay: true });
    throw attempt.refusal;
  }
  const outcome = await withAttempt(attempt, () =>
    inTransaction(db, async (tx) => {
      await requireSameEpoch(tx, user);
      if (receipt !== null && !(await storeUndoableOutcome(tx, receipt, success))) {
        const stored = await findOutcome(tx, receipt);
        // The receipt that stood in the way has just been removed.
        if (stored === null) throw new AppError('in_flight', { retryAfterSeconds: 1 });
        return stored;
      }
      const code = await call.perform(tx);
      if (code === null) return success;
      const refused: Outcome = { status: ERROR_STATUS[code], code, entityId, isReplay: false };
      if (receipt !== null) await replaceOutcome(tx, receipt, refused);
      return refused;
    }),
  );
  if (outcome.isReplay) await attempt.undo();
  return outcome;
}

function toReceipt({ user, route, parts, pollId, isDone }: VisibilityCall, key: string): Receipt {
  return { userId: user.id, key, route, fingerprint: fingerprintOf(parts), entityId: pollId, isDone };
}
