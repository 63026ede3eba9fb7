import type { Clock } from '#sync/client/capabilities.ts';

/** A clock that moves only when told to. Timers that come due run in order. */
export type FakeClock = Clock & {
  advance(byMs: number): void;
  /** The person puts the clock back: timers take as long as before. */
  putBack(byMs: number): void;
  /** In how many milliseconds each timer is due. */
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
