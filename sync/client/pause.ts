import type { Clock } from './types.ts';

/** Resolves after `delayMs` milliseconds. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, delayMs);
  });
}
