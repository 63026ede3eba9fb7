/**
 * What is the same for every caller, kept for a while. Callers who come at once share one reading.
 */
export type ReadBuffer = {
  /** What `load` gave for `key` a short while ago, else what it gives now. A failure is not kept. */
  read<Value>(key: string, load: () => Promise<Value>): Promise<Value>;
  /** Forgets everything, readings under way included. */
  drop(): void;
};

type Entry = { value: Promise<unknown>; startedMs: number };

/** An empty buffer that keeps what it read for `ageMaxMs`. `nowMs` is a clock that never goes back. */
export function createReadBuffer(
  ageMaxMs: number,
  nowMs: () => number = () => performance.now(),
): ReadBuffer {
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
    drop: () => entries.clear(),
  };
}
