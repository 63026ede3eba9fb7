import { useEffect } from 'react';

/**
 * Calls `callback` now if the page is visible, and whenever it becomes visible again; errors are ignored. `callback` must be
 * the same function on every render.
 */
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
