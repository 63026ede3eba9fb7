import type { Clock } from './types.ts';

/**
 * The server's clock, learnt from the `Date` headers of its answers and from its pongs. All figures are
 * milliseconds.
 */
export type ServerClock = {
  /** Now by the server's clock, since 1970. */
  now(): number;
  /** Calls `listener` whenever the offset has changed by more than a moment; returns the way to stop. */
  onChange(listener: () => void): () => void;
  /** Starts from an offset that an earlier start has learnt. */
  set(offsetMs: number): void;
  /** Takes in an answer's headers. */
  learn(headers: Headers): void;
  /** Takes in what the server's clock showed while a round trip took `roundTripMs`. */
  learnExactly(serverMs: number, roundTripMs: number): void;
};

/** The header has whole seconds: the middle of its second is the best guess. */
const HEADER_HALF_STEP_MS = 500;
/** A change of the offset that is worth remembering for the next start. */
const DRIFT_REMEMBERED_MS = 2_000;

/** `remember` is called with an offset that is worth keeping. */
export function createServerClock(clock: Clock, remember: (offsetMs: number) => void): ServerClock {
  let offset = 0;
  const listeners = new Set<() => void>();
  let isExact = false;

  function change(next: number): void {
    const driftMs = Math.abs(next - offset);
    offset = next;
    if (driftMs <= DRIFT_REMEMBERED_MS) return;
    remember(offset);
    for (const listener of listeners) listener();
  }

  return {
    now: () => clock.now() + offset,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(offsetMs) {
      offset = offsetMs;
    },
    learn(headers) {
      const date = Date.parse(headers.get('Date') ?? '');
      if (Number.isNaN(date)) return;
      const guess = date + HEADER_HALF_STEP_MS - clock.now();
      // A header cannot correct a pong, but it notices when somebody has set this device's clock.
      if (isExact && Math.abs(guess - offset) <= 2 * HEADER_HALF_STEP_MS) return;
      isExact = false;
      change(guess);
    },
    learnExactly(serverMs, roundTripMs) {
      isExact = true;
      change(serverMs + roundTripMs / 2 - clock.now());
    },
  };
}
