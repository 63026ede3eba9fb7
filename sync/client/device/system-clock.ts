import type { Clock } from '#sync/client/capabilities.ts';

/** The clock and timers of this device. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(run, delayMs) {
    const id = setTimeout(run, delayMs);
    return () => clearTimeout(id);
  },
};
