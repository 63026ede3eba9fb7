export type ReadCache = ReturnType<typeof createReadCache>;

type Entry = { value: Promise<unknown>; startedMs: number };

/**
 * The greatest age that a read of the list cache (`createListCache`) accepts: `replica-reads.ts` relies on it, and nothing enforces
 * it.
 */
export const LIST_ENTRY_AGE_MAX_MS = 10_000;
/** When the cache is full, the entry that was loaded first is evicted. */
export const ENTRIES_MAX = 100;

/**
 * A cache. A read accepts an entry that is less than `entryAgeMaxMs` old, by default `ageMaxMs`. Concurrent reads of a key share
 * one load; failures are not cached. `nowMs` is a monotonic clock.
 */
export function createReadCache(ageMaxMs: number, nowMs: () => number = () => performance.now()) {
  const entries = new Map<string, Entry>();
  return {
    read<Value>(key: string, load: () => Promise<Value>, entryAgeMaxMs = ageMaxMs): Promise<Value> {
      const cached = entries.get(key);
      if (cached !== undefined && nowMs() - cached.startedMs < entryAgeMaxMs)
        return cached.value as Promise<Value>;
      const value = load();
      const entry = { value, startedMs: nowMs() };
      // Deleted first, so that the new entry is the last of the map.
      entries.delete(key);
      const [oldest] = entries.keys();
      if (entries.size >= ENTRIES_MAX && oldest !== undefined) entries.delete(oldest);
      entries.set(key, entry);
      value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return value;
    },
    /** Empties the cache; the results of loads in progress are not cached either. */
    drop: () => entries.clear(),
  };
}
