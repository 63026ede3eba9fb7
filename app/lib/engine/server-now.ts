import { useEffect, useState } from 'react';
import { engineState } from './engine.ts';
import { useObservable } from './use-observable.ts';

const TICK_MS = 30_000;
/**
 * Smaller changes are ignored. Otherwise a component would read its data and render twice when it is mounted. The server's
 * clock is only known to about a second anyway.
 */
const CHANGE_MIN_MS = 2_000;

/** The time of the server's clock in milliseconds, updated every 30 s and when the clock offset is corrected. */
export function useServerNow(): number {
  const engine = useObservable(engineState);
  const [nowMs, setNowMs] = useState(() => engine?.serverNow() ?? Date.now());
  useEffect(() => {
    const read = () => {
      const nextMs = engine?.serverNow() ?? Date.now();
      setNowMs((lastMs) => (Math.abs(nextMs - lastMs) < CHANGE_MIN_MS ? lastMs : nextMs));
    };
    read();
    const timer = setInterval(read, TICK_MS);
    const unsubscribe = engine?.onServerClock(read);
    return () => {
      clearInterval(timer);
      unsubscribe?.();
    };
  }, [engine]);
  return nowMs;
}
