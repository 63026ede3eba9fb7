import { heldCardOf } from '#app/features/explore/lib/pass.ts';
import { hasNoMoreToLoad, useDeckView } from '#app/features/explore/queries.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { usePass } from './use-pass.ts';

/**
 * - `cardsLeft`: how many polls of the deck the user has not voted on, including skipped ones; null before the deck is read, and
 *   while more polls can be loaded
 * - `isCardHeld`: whether a card is held in front, after its vote or Undo (see `Pass`)
 */
type CardsLeft = { cardsLeft: number | null; isCardHeld: boolean };

export function useCardsLeft(): CardsLeft {
  const now = useServerNow();
  const [pass] = usePass();
  const view = useDeckView(pass, now);
  const isReachable = useReachable();
  const isKnown = view !== undefined && hasNoMoreToLoad(view, isReachable);
  return {
    cardsLeft: isKnown ? view.open.length : null,
    isCardHeld: view !== undefined && heldCardOf(view, pass) !== undefined,
  };
}
