import { useEffect } from 'react';

/** Calls `callback` now and whenever the page becomes visible again. `callback` must be the same function on every render. */
export function useOnVisible(callback: () => Promise<void>): void {
  useEffect(() => {
    const onChange = () => {
      if (document.visibilityState === 'visible') callback().catch(() => undefined);
    };
    onChange();
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [callback]);
}
