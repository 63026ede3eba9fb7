/** Values with revisions, of which each key lets few through. */
export type Throttle<Value> = {
  /** Lets `value` through now or, if one of `key` went a short while ago, the newest one when that is over. */
  offer(key: string, value: Value): void;
  /** Forgets what waits of `key`. */
  drop(key: string): void;
  /** Forgets everything. */
  stop(): void;
};

type Entry<Value> = { rev: number; waiting: Value | null; timer: NodeJS.Timeout };

/**
 * The first value of a key goes to `deliver` at once, after that one in `intervalMs`: the one with the highest
 * `rev`. One with a lower `rev` than its predecessor is old news and goes nowhere.
 */
export function createThrottle<Value extends { rev: number }>(
  intervalMs: number,
  deliver: (value: Value) => void,
): Throttle<Value> {
  const entries = new Map<string, Entry<Value>>();

  function send(key: string, value: Value): void {
    const timer = setTimeout(() => next(key), intervalMs);
    timer.unref();
    entries.set(key, { rev: value.rev, waiting: null, timer });
    deliver(value);
  }

  function next(key: string): void {
    const waiting = entries.get(key)?.waiting ?? null;
    entries.delete(key);
    if (waiting !== null) send(key, waiting);
  }

  return {
    offer(key, value) {
      const entry = entries.get(key);
      if (entry === undefined) {
        send(key, value);
      } else if (value.rev > entry.rev) {
        entry.rev = value.rev;
        entry.waiting = value;
      }
    },
    drop(key) {
      const entry = entries.get(key);
      if (entry !== undefined) entry.waiting = null;
    },
    stop() {
      for (const { timer } of entries.values()) clearTimeout(timer);
      entries.clear();
    },
  };
}
