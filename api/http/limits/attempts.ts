import { AppError } from '#api/errors.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import { collectUndos, type Limit } from './limits.ts';

/** A rate-limited call: counted by all of its limits, or by none if it exceeds one of them. */
export type Attempt = {
  /** The error of a limit that is exceeded, such as `rate_limited`; else null. */
  refusal: AppError | null;
  /** Undoes the count. */
  undo(): Promise<void>;
};

/** Counts a call of `key` against each of `limits`. */
export async function countAttempt(limits: readonly Limit[], key: string | number): Promise<Attempt> {
  const { undos, undoAll } = collectUndos();
  for (const limit of limits) {
    const { delayS, undo } = await limit.count(key);
    undos.push(undo);
    if (delayS > 0) {
      await undoAll();
      return { refusal: new AppError(limit.code, { retryAfterSeconds: delayS }), undo: undoAll };
    }
  }
  return { refusal: null, undo: undoAll };
}

/**
 * Runs `work`, and undoes the count when it fails with an error for which `shouldUndo` is true: by default one after which the
 * client has to send the call again.
 */
export async function withAttempt<Result>(
  attempt: Attempt,
  work: () => Promise<Result>,
  shouldUndo = mustRetry,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (shouldUndo(error)) await attempt.undo();
    throw error;
  }
}

/** Whether the error is a 5xx or `in_flight`. */
function mustRetry(error: unknown): boolean {
  const { status, code } = toAppError(error);
  return status >= 500 || code === 'in_flight';
}

/** Runs `work` and counts it against `limit` only if it succeeds. Throws the limit's error, `rate_limited` for most. */
export async function countingSuccesses<Result>(
  limit: Limit,
  key: string | number,
  work: () => Promise<Result>,
): Promise<Result> {
  // Counted before the work, so that concurrent attempts do not all pass.
  const attempt = await countAttempt([limit], key);
  if (attempt.refusal !== null) throw attempt.refusal;
  return withAttempt(attempt, work, () => true);
}
