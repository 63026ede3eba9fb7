import { useEffect, useEffectEvent, useState } from 'react';
import { loadMoreCards, refreshDeck } from '#app/features/explore/actions.ts';
import { newPollsState } from '#app/lib/engine/engine.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import type { DeckView } from '#sync/client/cache/deck-reads.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';
import type { PollView } from '#sync/operations/operation.ts';

/** The device keeps so many cards that are still to come, as long as the server has them. */
export const CARDS_KEPT = 24;
/** The front one and the two behind it. */
export const CARDS_SHOWN = 3;

/**
 * Loads the deck when its screen is opened, when the server can be reached again, and when there may be new polls after the last card;
 * loads further cards before they run out. `hasFailed` is about the last load; `tryAgain` repeats it.
 */
export function useDeckSupply(view: DeckView | undefined, cards: readonly PollView[]) {
  const reachable = useReachable();
  const [last, setLast] = useState<{ result: PullResult; reachable: boolean } | null>(null);
  const shown = () => cards.slice(0, CARDS_SHOWN).map(({ poll }) => poll.id);
  const note = (result: PullResult) => setLast({ result, reachable });

  function tryAgain() {
    setLast(null);
    refreshDeck(shown()).then(note, () => note('failed'));
  }

  const isRead = view !== undefined;
  const isAtEnd = isRead && cards.length === 0;
  const hasNewPolls = useObservable(newPollsState);
  const refresh = useEffectEvent(tryAgain);
  useEffect(() => {
    if (isRead && reachable) refresh();
  }, [isRead, reachable]);
  useEffect(() => {
    if (!isAtEnd) return;
    if (hasNewPolls) refresh();
    const onVisible = () => document.visibilityState === 'visible' && refresh();
    document.addEventListener('visibilitychange', onVisible);
    return () => document.removeEventListener('visibilitychange', onVisible);
  }, [isAtEnd, hasNewPolls]);

  const cursor = view?.meta?.nextCursor ?? null;
  const left = cards.length;
  const loadMore = useEffectEvent(() => {
    loadMoreCards(shown()).then(note, () => note('failed'));
  });
  useEffect(() => {
    if (cursor !== null && left < CARDS_KEPT && reachable) loadMore();
  }, [cursor, left, reachable]);

  // A result from before the server could be reached no longer counts.
  const result = last === null || (reachable && !last.reachable) ? null : last.result;
  const hasFailed = result !== null && result !== 'updated' && result !== 'unchanged';
  return { reachable, hasFailed, tryAgain };
}
