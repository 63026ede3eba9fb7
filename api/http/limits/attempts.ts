import { AppError } from '#api/errors.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import type { Limit } from './limits.ts';

/** A call that is limited: counted by all of its limits, or refused by one of them and counted by none. */
export type Attempt = {
  /** `rate_limited` when a limit is used up, else null. */
  refusal: AppError | null;
  /** Takes the count back: the call turned out to be none that is limited. */
  giveBack(): Promise<void>;
};

/** Counts one call of `key` by each of `limits`. */
export async function countAttempt(limits: readonly Limit[], key: string | number): Promise<Attempt> {
  const undos: (() => Promise<void>)[] = [];
  const giveBack = async () => {
    for (const undo of undos.splice(0)) await undo();
  };
  for (const limit of limits) {
    const { delayS, undo } = await limit.count(key);
    undos.push(undo);
    if (delayS > 0) {
      await giveBack();
      return { refusal: new AppError('rate_limited', { retryAfterSeconds: delayS }), giveBack };
    }
  }
  return { refusal: null, giveBack };
}

/**
 * Does `work`, and gives the attempt back when the server was not able to do it now: an error of 500 or above, or
 * `in_flight`. The sender has to try again, and that shall not use up the limit.
 */
export async function withAttempt<Result>(attempt: Attempt, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { status, code } = toAppError(error);
    if (status >= 500 || code === 'in_flight') await attempt.giveBack();
    throw error;
  }
}
