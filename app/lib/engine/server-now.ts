import { useEffect, useState } from 'react';
import { engineState } from './engine.ts';
import { useObservable } from './use-observable.ts';

const TICK_MS = 30_000;

/** The time of the server's clock in milliseconds, updated every 30 s and when the clock offset is corrected. */
export function useServerNow(): number {
  const engine = useObservable(engineState);
  const [now, setNow] = useState(() => engine?.serverNow() ?? Date.now());
  useEffect(() => {
    const read = () => setNow(engine?.serverNow() ?? Date.now());
    read();
    const timer = setInterval(read, TICK_MS);
    const unsubscribe = engine?.onServerClock(read);
    return () => {
      clearInterval(timer);
      unsubscribe?.();
    };
  }, [engine]);
  return now;
}
