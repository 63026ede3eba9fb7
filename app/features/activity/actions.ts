import { loadEngine } from '#app/lib/engine/engine.ts';
import { hasLoadedMore } from '#app/lib/engine/pull-result.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';

/** Pulls the newest entries of the ledger into the cache. */
export async function refreshActivity(): Promise<PullResult> {
  return (await loadEngine()).pullActivity();
}

/** Appends older entries; false when they could not be loaded. */
export async function loadMoreActivity(): Promise<boolean> {
  return hasLoadedMore((await loadEngine()).pullMoreActivity(), 'Older entries of the ledger');
}
