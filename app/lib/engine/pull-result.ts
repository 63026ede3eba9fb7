import type { PullResult } from '#sync/client/cache/pull.ts';

/** Whether the cache is up to date after a pull. */
export function hasSucceeded(result: PullResult): boolean {
  return result === 'updated' || result === 'unchanged';
}
