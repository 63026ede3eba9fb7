import { useEffect, useEffectEvent } from 'react';
import { HEALTH_INTERVAL_MS } from '#shared/connection.ts';

/**
 * Calls `retry` after a pause whenever `isLost` becomes true: the screen has nothing to show, because a request was lost although
 * the server is reachable.
 */
export function useRetry(isLost: boolean, retry: () => void): void {
  const retryNow = useEffectEvent(retry);
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => retryNow(), HEALTH_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [isLost]);
}
