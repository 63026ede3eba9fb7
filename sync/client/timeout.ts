import type { Clock } from './capabilities.ts';
import type { EngineErrorCode } from './engine-errors.ts';

/** Longer than database work takes on any device. Work that takes longer counts as stuck. */
export const DATABASE_TIMEOUT_MS = 20_000;
/** Longer than the request of a pull and the storing of its response take. After that, a pull blocks no later pull. */
export const PULL_TIMEOUT_MS = 60_000;

/** The browser did not settle a call in time. */
export class BrowserTimeoutError extends Error {
  override name = 'BrowserTimeoutError';
  readonly code: EngineErrorCode = 'browser_timeout';
}

/**
 * Resolves with the result of `work`, or rejects with `BrowserTimeoutError` after `timeoutMs` milliseconds. Used for browser
 * APIs (IndexedDB, Web Locks) whose calls may never settle. The work is not cancelled, but its result is ignored.
 */
export async function withTimeout<Result>(
  clock: Clock,
  timeoutMs: number,
  work: PromiseLike<Result>,
): Promise<Result> {
  let cancel = () => {};
  const timeout = new Promise<never>((_, reject) => {
    cancel = clock.setTimeout(
      () => reject(new BrowserTimeoutError(`No response within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    cancel();
  }
}

/** `withTimeout` for work in IndexedDB. */
export function withDatabaseTimeout<Result>(clock: Clock, work: PromiseLike<Result>): Promise<Result> {
  return withTimeout(clock, DATABASE_TIMEOUT_MS, work);
}
