import { useEffect, useEffectEvent, useState } from 'react';
import { loadMoreCards, refreshDeck } from '#app/features/explore/actions.ts';
import { newPollsState } from '#app/lib/engine/engine.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { hasSucceeded } from '#app/lib/engine/pull-result.ts';
import { useLastPull } from '#app/lib/engine/use-last-pull.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import type { DeckView } from '#sync/client/cache/deck-reads.ts';
import type { PollView } from '#sync/operations/operation.ts';

/** The target number of cards on the device. While there are fewer, more are loaded, as long as the server has more. */
export const CARDS_STORED_TARGET = 24;
/** How many cards are rendered: the front card and two cards behind it. */
export const CARDS_SHOWN = 3;

/**
 * Keeps the deck supplied with cards. Reloads it when its screen opens, when the server becomes reachable again and, once no
 * cards are left, when the page becomes visible or the first new poll since the last load of the feed is announced (not for
 * every further one, since all users at the end of their deck would reload it at once). Loads further cards before they run out.
 * `hasFailed` says whether the last load failed.
 */
export function useDeckSupply(view: DeckView | undefined, cards: readonly PollView[]) {
  const isReachable = useReachable();
  const { result, storeResult, clear } = useLastPull(isReachable);
  // Initially true: the deck is reloaded first.
  const [isReloading, setIsReloading] = useState(true);
  const shownIds = () => cards.slice(0, CARDS_SHOWN).map(({ poll }) => poll.id);

  function reload() {
    clear();
    setIsReloading(true);
    storeResult(refreshDeck(shownIds()).finally(() => setIsReloading(false)));
  }

  const isRead = view !== undefined;
  const isAtEnd = isRead && cards.length === 0;
  const hasNewPolls = useObservable(newPollsState);
  const reloadNow = useEffectEvent(reload);
  useEffect(() => {
    if (isRead && isReachable) reloadNow();
  }, [isRead, isReachable]);
  useEffect(() => {
    if (!isAtEnd) return;
    if (hasNewPolls) reloadNow();
    const onVisible = () => document.visibilityState === 'visible' && reloadNow();
    document.addEventListener('visibilitychange', onVisible);
    return () => document.removeEventListener('visibilitychange', onVisible);
  }, [isAtEnd, hasNewPolls]);

  const cursor = view?.meta?.nextCursor ?? null;
  const cardCount = cards.length;
  const loadMore = useEffectEvent(() => {
    storeResult(loadMoreCards(shownIds()));
  });
  // Also runs after a reload that changed nothing, since the last load of further cards may have failed.
  useEffect(() => {
    if (cursor !== null && cardCount < CARDS_STORED_TARGET && isReachable && !isReloading) loadMore();
  }, [cursor, cardCount, isReachable, isReloading]);

  return { isReachable, hasFailed: result !== null && !hasSucceeded(result), reload };
}
