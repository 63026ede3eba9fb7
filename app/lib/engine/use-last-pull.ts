import { useCallback, useState } from 'react';
import type { PullResult } from '#sync/client/cache/pull.ts';

/**
 * The result of a screen's last pull. A result from while the server was unreachable (`isReachable` was false) is out of date
 * once the server is reachable.
 * - `result`: null before the first result, after `clear`, and when the result is out of date
 * - `storeResult`: stores the result of a pull once it ends; a rejection counts as `failed`. Returns a cleanup function for an
 *   effect; after it, the result is ignored. `storeResult` itself changes with `isReachable`, so that an effect that depends on
 *   it pulls again
 */
export function useLastPull(isReachable: boolean) {
  const [lastPull, setLastPull] = useState<{ result: PullResult; wasReachable: boolean } | null>(null);
  const storeResult = useCallback(
    (pull: Promise<PullResult>) => {
      let isIgnored = false;
      const store = (result: PullResult) => {
        if (!isIgnored) setLastPull({ result, wasReachable: isReachable });
      };
      pull.then(store, () => store('failed'));
      return () => {
        isIgnored = true;
      };
    },
    [isReachable],
  );
  const clear = useCallback(() => setLastPull(null), []);
  const isOutdated = lastPull !== null && isReachable && !lastPull.wasReachable;
  return { result: lastPull === null || isOutdated ? null : lastPull.result, storeResult, clear };
}
