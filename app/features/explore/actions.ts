import { loadEngine } from '#app/lib/engine/engine.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';

/** Reloads the deck; the polls `shown` (ids of the cards on the screen) remain in it. */
export async function refreshDeck(shown: readonly string[]): Promise<PullResult> {
  return (await loadEngine()).pullDeck(shown);
}

/** Appends further cards. If that fails, reloads the deck, since the cursor may have become invalid. */
export async function loadMoreCards(shown: readonly string[]): Promise<PullResult> {
  const engine = await loadEngine();
  const result = await engine.pullMoreDeck();
  return result === 'failed' ? engine.pullDeck(shown) : result;
}
