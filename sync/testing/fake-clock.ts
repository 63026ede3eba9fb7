import type { Clock } from '#sync/client/capabilities.ts';

/** A clock that moves only by calls of `advance`. Due timers run in order. */
export type FakeClock = Clock & {
  advance(byMs: number): void;
  /** Sets the clock back, as a user can. The remaining time of timers does not change. */
  putBack(byMs: number): void;
  /** The remaining milliseconds of each timer. */
  delays(): number[];
};

export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  let now = startMs;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    setTimeout(run, delayMs) {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    delays: () => timers.map(({ at }) => at - now),
    putBack(byMs) {
      now -= byMs;
      for (const timer of timers) timer.at -= byMs;
    },
    advance(byMs) {
      const until = now + byMs;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((timer) => timer !== due);
        now = Math.max(now, due.at);
        due.run();
      }
      now = until;
    },
  };
}
