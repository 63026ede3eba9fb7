import { useDeferredValue } from 'react';
import { useUserQueryOf } from '#app/lib/engine/user-query.ts';
import { type DeckView, readDeck } from '#sync/client/cache/deck-reads.ts';
import { type Pass, pollIdsOf } from './lib/pass.ts';

/** The stored deck, and the polls that the pass needs; undefined before the first read. */
export function useDeckView(pass: Pass, nowMs: number): DeckView | undefined {
  // The pass is deferred so that reading the poll of a card that has left does not delay the paint of the next card. The held poll
  // is read at once, since its vote will remove it from the open polls.
  const deferredIds = pollIdsOf(useDeferredValue(pass));
  const pollIds = [...new Set(pass.held === null ? deferredIds : [pass.held, ...deferredIds])];
  return useUserQueryOf((db) => readDeck(db, nowMs, pollIds), [nowMs, pollIds.join(' ')]);
}

/** Whether no further cards can be loaded: the deck was loaded before, and the server has no more or cannot be reached. */
export function hasNoMoreToLoad(view: DeckView | undefined, isReachable: boolean): boolean {
  const meta = view?.meta ?? null;
  return meta !== null && !(isReachable && meta.hasMore);
}
