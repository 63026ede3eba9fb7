import type { Clock } from './capabilities.ts';

/** An estimate of the server's clock, from `Date` headers and pongs. All values are in milliseconds. */
export type ServerClock = {
  /** The server's time, since 1970. */
  now(): number;
  /** Calls `listener` on every significant change of the offset; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Sets the offset that an earlier start of the app has stored. */
  set(offsetMs: number): void;
  /** Adjusts the offset to the headers of a response. */
  learnFromHeaders(headers: Headers): void;
  /** Adjusts the offset to the server time of a pong and its round-trip time. */
  learnFromPong(serverMs: number, roundTripMs: number): void;
};

/** The `Date` header has whole seconds, so half a second later is the best estimate. */
const HEADER_HALF_STEP_MS = 500;
/** A change of the offset by more than this is significant, also if it consists of several smaller ones. */
const SIGNIFICANT_DRIFT_MS = 2_000;

/** Creates the server clock. `persist` is called with the offset after every significant change. */
export function createServerClock(clock: Clock, persist: (offsetMs: number) => void): ServerClock {
  let currentOffsetMs = 0;
  /** The offset at the last significant change. */
  let reportedOffsetMs = 0;
  const listeners = new Set<() => void>();
  /** Whether the offset comes from a pong. */
  let isExact = false;

  function changeOffset(offsetMs: number): void {
    currentOffsetMs = offsetMs;
    if (Math.abs(offsetMs - reportedOffsetMs) <= SIGNIFICANT_DRIFT_MS) return;
    reportedOffsetMs = offsetMs;
    persist(offsetMs);
    for (const listener of listeners) listener();
  }

  return {
    now: () => clock.now() + currentOffsetMs,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(offsetMs) {
      currentOffsetMs = offsetMs;
      reportedOffsetMs = offsetMs;
    },
    learnFromHeaders(headers) {
      const dateMs = Date.parse(headers.get('Date') ?? '');
      if (Number.isNaN(dateMs)) return;
      const offsetMs = dateMs + HEADER_HALF_STEP_MS - clock.now();
      // Headers are less exact than pongs. After a pong they count only if this device's clock was set since.
      if (isExact && Math.abs(offsetMs - currentOffsetMs) <= 2 * HEADER_HALF_STEP_MS) return;
      isExact = false;
      changeOffset(offsetMs);
    },
    learnFromPong(serverMs, roundTripMs) {
      isExact = true;
      changeOffset(serverMs + roundTripMs / 2 - clock.now());
    },
  };
}
