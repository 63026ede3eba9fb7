import { useEffect } from 'react';

/** Keeps the screen on. Browsers release the lock when the page is hidden, so it is requested again when the page is visible. */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isUnmounted = false;
    async function requestLock() {
      if (document.visibilityState !== 'visible') return;
      // Not all browsers support wake locks, and a request fails when the battery is low.
      lock = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
      if (isUnmounted) await lock?.release();
    }
    const onVisible = () => void requestLock();
    onVisible();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isUnmounted = true;
      document.removeEventListener('visibilitychange', onVisible);
      void lock?.release();
    };
  }, []);
}
