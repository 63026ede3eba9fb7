export type ReadBuffer = ReturnType<typeof createReadBuffer>;

type Entry = { value: Promise<unknown>; startedMs: number };

/**
 * A cache whose entries last `ageMaxMs`. Concurrent reads of a key share one load; failures are not cached. `nowMs` is a
 * monotonic clock.
 */
export function createReadBuffer(ageMaxMs: number, nowMs: () => number = () => performance.now()) {
  const entries = new Map<string, Entry>();
  return {
    read<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
      const kept = entries.get(key);
      if (kept !== undefined && nowMs() - kept.startedMs < ageMaxMs) return kept.value as Promise<Value>;
      const value = load();
      const entry = { value, startedMs: nowMs() };
      entries.set(key, entry);
      value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return value;
    },
    /** Empties the cache; the results of running loads are not cached either. */
    drop: () => entries.clear(),
  };
}
