import { useEffect, useState } from 'react';
import { engineState } from './engine.ts';
import { useObservable } from './use-observable.ts';

const TICK_MS = 30_000;

/**
 * Now by the server's clock, in milliseconds; moves on every 30 s so that times left stay true, and as soon as that
 * clock is known better.
 */
export function useServerNow(): number {
  const engine = useObservable(engineState);
  const [now, setNow] = useState(() => engine?.serverNow() ?? Date.now());
  useEffect(() => {
    const read = () => setNow(engine?.serverNow() ?? Date.now());
    read();
    const timer = setInterval(read, TICK_MS);
    const stopListening = engine?.onServerClock(read);
    return () => {
      clearInterval(timer);
      stopListening?.();
    };
  }, [engine]);
  return now;
}
