import { logWarning } from '#app/lib/log.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';

/** Whether the cache is up to date after a pull. */
export function hasSucceeded(result: PullResult): boolean {
  return result === 'updated' || result === 'unchanged';
}

/** Whether `pull` has loaded older entries; logs that `what` could not be loaded if not. Never throws. */
export async function hasLoadedMore(pull: Promise<PullResult>, what: string): Promise<boolean> {
  const result = await pull.catch((): PullResult => 'failed');
  const hasLoaded = hasSucceeded(result);
  if (!hasLoaded) logWarning(`${what} could not be loaded:`, result);
  return hasLoaded;
}
