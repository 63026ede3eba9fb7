import type { Clock } from './types.ts';

/** The server's clock, learnt from the `Date` headers of its answers. All figures are milliseconds. */
export type ServerClock = {
  /** Now by the server's clock, since 1970. */
  now(): number;
  /** How far the server's clock is ahead of this device's. */
  offsetMs(): number;
  /** Starts from an offset that an earlier start has learnt. */
  set(offsetMs: number): void;
  /** Takes in an answer's headers and returns by how much the offset changed. */
  learn(headers: Headers): number;
};

/** The header has whole seconds: the middle of its second is the best guess. */
const HEADER_HALF_STEP_MS = 500;

export function createServerClock(clock: Clock): ServerClock {
  let offset = 0;
  return {
    now: () => clock.now() + offset,
    offsetMs: () => offset,
    set(offsetMs) {
      offset = offsetMs;
    },
    learn(headers) {
      const date = Date.parse(headers.get('Date') ?? '');
      if (Number.isNaN(date)) return 0;
      const before = offset;
      offset = date + HEADER_HALF_STEP_MS - clock.now();
      return Math.abs(offset - before);
    },
  };
}
