import { loadEngine } from '#app/lib/engine/engine.ts';
import { hasSucceeded } from '#app/lib/engine/pull-result.ts';
import { logWarning } from '#app/lib/log.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';

/** Pulls the newest entries of the ledger into the cache. */
export async function refreshActivity(): Promise<PullResult> {
  return (await loadEngine()).pullActivity();
}

/** Appends older entries; false when they could not be loaded. */
export async function loadMoreActivity(): Promise<boolean> {
  const result = await (await loadEngine()).pullMoreActivity().catch((): PullResult => 'failed');
  const hasLoaded = hasSucceeded(result);
  if (!hasLoaded) logWarning('Older entries of the ledger could not be loaded:', result);
  return hasLoaded;
}
