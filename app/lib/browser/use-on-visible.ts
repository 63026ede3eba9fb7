import { useEffect } from 'react';

/**
 * While `isActive`, calls `callback` at once if the page is visible, and whenever it becomes visible again; errors are ignored.
 * `callback` must be the same function on every render.
 */
export function useOnVisible(callback: () => Promise<void>, isActive = true): void {
  useEffect(() => {
    if (!isActive) return;
    const onChange = () => {
      if (document.visibilityState === 'visible') callback().catch(() => undefined);
    };
    onChange();
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [callback, isActive]);
}
