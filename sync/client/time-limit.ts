import type { Clock } from './capabilities.ts';
import type { EngineErrorCode } from './engine-errors.ts';

/** Longer than database work takes on any device: work that takes longer counts as stuck. */
const DATABASE_LIMIT_MS = 20_000;
/** Longer than any request and storing its response take, so that a pull that never settles does not block later ones. */
export const PULL_LIMIT_MS = 60_000;

/** The browser did not settle a call in time. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';
  readonly code: EngineErrorCode = 'time_limit';
}

/**
 * Resolves with the result of `work`, or rejects with `TimeLimitError` after `limitMs` milliseconds. For browser APIs (IndexedDB,
 * Web Locks) whose calls may never settle. The work itself is not cancelled; its result is ignored.
 */
export async function withTimeLimit<Result>(
  clock: Clock,
  limitMs: number,
  work: PromiseLike<Result>,
): Promise<Result> {
  let cancel = () => {};
  const limit = new Promise<never>((_, reject) => {
    cancel = clock.setTimeout(() => reject(new TimeLimitError(`No response within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    cancel();
  }
}

/** `withTimeLimit` for work in IndexedDB. */
export function withDatabaseLimit<Result>(clock: Clock, work: PromiseLike<Result>): Promise<Result> {
  return withTimeLimit(clock, DATABASE_LIMIT_MS, work);
}
