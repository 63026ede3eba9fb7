import type { Clock } from './capabilities.ts';

/** Estimates the server's clock from `Date` headers and pongs. All values are milliseconds. */
export type ServerClock = {
  /** The server's time, since 1970. */
  now(): number;
  /** Calls `listener` on every significant change of the offset; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Sets the offset that was stored at an earlier start. */
  set(offsetMs: number): void;
  /** Adjusts the offset to the headers of a response. */
  learnFromHeaders(headers: Headers): void;
  /** Adjusts the offset to the server time of a pong and its round-trip time. */
  learnFromPong(serverMs: number, roundTripMs: number): void;
};

/** The `Date` header has whole seconds, so half a second later is the best estimate. */
const HEADER_HALF_STEP_MS = 500;
/** A change of the offset beyond this is significant. */
const SIGNIFICANT_DRIFT_MS = 2_000;

/** Creates the server clock. `persist` is called with the offset after every significant change. */
export function createServerClock(clock: Clock, persist: (offsetMs: number) => void): ServerClock {
  let offset = 0;
  const listeners = new Set<() => void>();
  let isExact = false;

  function change(next: number): void {
    const driftMs = Math.abs(next - offset);
    offset = next;
    if (driftMs <= SIGNIFICANT_DRIFT_MS) return;
    persist(offset);
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
    learnFromHeaders(headers) {
      const date = Date.parse(headers.get('Date') ?? '');
      if (Number.isNaN(date)) return;
      const guess = date + HEADER_HALF_STEP_MS - clock.now();
      // Headers are less exact than pongs. After a pong they count only if this device's clock was set since.
      if (isExact && Math.abs(guess - offset) <= 2 * HEADER_HALF_STEP_MS) return;
      isExact = false;
      change(guess);
    },
    learnFromPong(serverMs, roundTripMs) {
      isExact = true;
      change(serverMs + roundTripMs / 2 - clock.now());
    },
  };
}
