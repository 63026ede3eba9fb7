import { loadEngine } from '#app/lib/engine/engine.ts';
import { hasSucceeded } from '#app/lib/engine/pull-result.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';

/** Reloads the deck. `shownIds`: the polls of the cards on the screen; they remain in the deck if it has further pages. */
export async function refreshDeck(shownIds: readonly string[]): Promise<PullResult> {
  return (await loadEngine()).pullDeck(shownIds);
}

/**
 * Appends further cards. If this fails, reloads the deck and tries again: a server of another release may refuse the stored cursor.
 */
export async function loadMoreCards(shownIds: readonly string[]): Promise<PullResult> {
  const engine = await loadEngine();
  const result = await engine.pullMoreDeck();
  if (result !== 'failed') return result;
  const reloadResult = await engine.pullDeck(shownIds);
  return hasSucceeded(reloadResult) ? engine.pullMoreDeck() : reloadResult;
}
