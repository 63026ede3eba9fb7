import type { Clock } from '#sync/client/capabilities.ts';

/** A clock that tests advance. */
export type FakeClock = Clock & {
  /** Advances the clock and runs the timers that become due, in order. */
  advance(byMs: number): void;
  /** Sets the clock back, as a user can. The remaining time of timers does not change. */
  setBack(byMs: number): void;
  /** The remaining milliseconds of each timer. */
  delays(): number[];
};

export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  let now = startMs;
  let timers: { dueMs: number; run: () => void }[] = [];
  return {
    now: () => now,
    setTimeout(run, delayMs) {
      const timer = { dueMs: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    delays: () => timers.map(({ dueMs }) => dueMs - now),
    setBack(byMs) {
      now -= byMs;
      for (const timer of timers) timer.dueMs -= byMs;
    },
    advance(byMs) {
      const until = now + byMs;
      for (;;) {
        const due = timers.filter(({ dueMs }) => dueMs <= until).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (due === undefined) break;
        timers = timers.filter((timer) => timer !== due);
        // A timer with a negative delay is due at once.
        now = Math.max(now, due.dueMs);
        due.run();
      }
      now = until;
    },
  };
}
