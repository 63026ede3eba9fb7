import { useState } from 'react';
import { heldCardOf } from '#app/features/explore/lib/pass.ts';
import { useDeckView } from '#app/features/explore/queries.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { usePass } from './use-pass.ts';

/**
 * - `cardsLeft`: how many polls of the deck the user has not voted on, including skipped ones; null while the server may have
 *   more: until the deck has been fetched since this screen opened, and while it has further pages
 * - `isCardHeld`: whether a card is held in front, after its vote or Undo, or with an open dialog (see `Pass`)
 */
type CardsLeft = { cardsLeft: number | null; isCardHeld: boolean };

export function useCardsLeft(): CardsLeft {
  const now = useServerNow();
  const [pass] = usePass();
  const view = useDeckView(pass, now);
  const [openedAtMs] = useState(Date.now);
  const meta = view?.meta ?? null;
  // A time in the future is that of an earlier fetch, before the clock was set back.
  const isFetched = meta !== null && meta.fetchedAt >= openedAtMs && meta.fetchedAt <= Date.now();
  const isKnown = isFetched && !meta.hasMore;
  return {
    cardsLeft: view !== undefined && isKnown ? view.open.length : null,
    isCardHeld: view !== undefined && heldCardOf(view, pass) !== undefined,
  };
}
