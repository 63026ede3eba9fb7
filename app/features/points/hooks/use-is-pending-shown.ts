import { useEffect, useState } from 'react';
import { useOnline } from '#app/lib/engine/online.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

/** Points of changes that are sent within this time are not shown as pending, to avoid flicker. */
const PENDING_DELAY_MS = 1_000;

/** Whether to show pending points: at once while offline, else after a short wait. */
export function useIsPendingShown(points: PointsView | null): boolean {
  const isPending = points !== null && points.pendingEarned + points.pendingSpent > 0;
  const [hasWaited, setWaited] = useState(false);
  const isOnline = useOnline();
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setWaited(true), PENDING_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setWaited(false);
    };
  }, [isPending]);
  return isPending && (hasWaited || !isOnline);
}
