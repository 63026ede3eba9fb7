import { useEffect, useState } from 'react';
import { useOnline } from '#app/lib/engine/online.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

/** What is sent within this time never shows as pending: nothing flickers. */
const PENDING_AFTER_MS = 1_000;

/** True once points have been waiting for a while, at once without a network. */
export function useShowsPending(points: PointsView | null): boolean {
  const isPending = points !== null && points.pendingEarned + points.pendingSpent > 0;
  const [hasLasted, setLasted] = useState(false);
  const online = useOnline();
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setLasted(true), PENDING_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setLasted(false);
    };
  }, [isPending]);
  return isPending && (hasLasted || !online);
}
