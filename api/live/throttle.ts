type Entry<Value> = { rev: number; waiting: Value | null; timer: NodeJS.Timeout };

/**
 * Delivers the first value of a key at once, and then at most one in `intervalMs`: the one with the highest `rev`. Until an
 * interval passes without a new value, values whose `rev` is not higher than that of an earlier one are dropped.
 */
export function createThrottle<Value extends { rev: number }>(
  intervalMs: number,
  deliver: (value: Value) => void,
) {
  const entries = new Map<string, Entry<Value>>();

  function send(key: string, value: Value): void {
    const timer = setTimeout(() => sendNext(key), intervalMs);
    timer.unref();
    entries.set(key, { rev: value.rev, waiting: null, timer });
    deliver(value);
  }

  function sendNext(key: string): void {
    const waiting = entries.get(key)?.waiting ?? null;
    entries.delete(key);
    if (waiting !== null) send(key, waiting);
  }

  return {
    /** Delivers `value` now, or the newest value of `key` once the interval since the last one is over. */
    offer(key: string, value: Value): void {
      const entry = entries.get(key);
      if (entry === undefined) {
        send(key, value);
      } else if (value.rev > entry.rev) {
        entry.rev = value.rev;
        entry.waiting = value;
      }
    },
    /** Drops the waiting value of `key`. */
    drop(key: string): void {
      const entry = entries.get(key);
      if (entry !== undefined) entry.waiting = null;
    },
    /** Drops everything. */
    stop(): void {
      for (const { timer } of entries.values()) clearTimeout(timer);
      entries.clear();
    },
  };
}
