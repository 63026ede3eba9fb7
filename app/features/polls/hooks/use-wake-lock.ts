import { useEffect } from 'react';

/** Keeps the screen on as long as it is used; browsers let go of it whenever the page is hidden. */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isOver = false;
    async function hold() {
      if (document.visibilityState !== 'visible') return;
      // Not in every browser, and refused when the battery is low.
      lock = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
      if (isOver) await lock?.release();
    }
    const onVisible = () => void hold();
    onVisible();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', onVisible);
      void lock?.release();
    };
  }, []);
}
