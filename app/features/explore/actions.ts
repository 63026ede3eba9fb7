import { loadEngine } from '#app/lib/engine/engine.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';

/** Loads the deck anew; the cards `shown` on the screen stay in it. */
export async function refreshDeck(shown: readonly string[]): Promise<PullResult> {
  return (await loadEngine()).pullDeck(shown);
}

/** Appends further cards; where that fails the deck is loaded anew, since a cursor may have become invalid. */
export async function loadMoreCards(shown: readonly string[]): Promise<PullResult> {
  const engine = await loadEngine();
  const result = await engine.pullMoreDeck();
  return result === 'failed' ? engine.pullDeck(shown) : result;
}
