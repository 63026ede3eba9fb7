import type { Clock, EngineErrorCode } from './types.ts';

/** The longest that work of the database takes on any device; one that takes longer never ends. */
export const DATABASE_LIMIT_MS = 20_000;

/** The browser did not answer within the time that its work may take. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';
  readonly code: EngineErrorCode = 'time_limit';
}

/**
 * The result of `work`, or a `TimeLimitError` after `limitMs` milliseconds. For calls of the browser (IndexedDB, Web
 * Locks) that may never settle: the work itself goes on, its result is ignored.
 */
export async function withTimeLimit<Result>(
  clock: Clock,
  limitMs: number,
  work: PromiseLike<Result>,
): Promise<Result> {
  let cancel = () => {};
  const limit = new Promise<never>((_, reject) => {
    cancel = clock.setTimeout(() => reject(new TimeLimitError(`No answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    cancel();
  }
}
