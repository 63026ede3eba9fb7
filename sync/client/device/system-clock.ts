import type { Clock } from '#sync/client/types.ts';

/** This device's own clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(run, delayMs) {
    const id = setTimeout(run, delayMs);
    return () => clearTimeout(id);
  },
};
