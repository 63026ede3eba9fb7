import { useDeckView } from '#app/features/explore/queries.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { usePass } from './use-pass.ts';

/**
 * - `count`: the polls that the user could still vote on; null while that is not known
 * - `isHeld`: whether the result of a vote is shown
 */
type CardsLeft = { count: number | null; isHeld: boolean };

export function useCardsLeft(): CardsLeft {
  const now = useServerNow();
  const [pass] = usePass();
  const view = useDeckView(pass, now);
  const reachable = useReachable();
  const isKnown = view !== undefined && view.meta !== null && !(view.meta.hasMore && reachable);
  return { count: isKnown ? view.open.length : null, isHeld: pass.held !== null };
}
