const AGE_MAX_MS = 1_000;

/**
 * What is the same for every viewer, kept for up to a second. Callers who come at once share one reading.
 */
export type FeedBuffer = {
  /** What `load` gave for `key` at most a second ago, else what it gives now. A failure is not kept. */
  read<Value>(key: string, load: () => Promise<Value>): Promise<Value>;
  /**
   * Forgets everything, readings under way included. To be called after a poll was made, removed, activated or
   * deactivated, before the answer goes out.
   */
  drop(): void;
};

type Entry = { value: Promise<unknown>; startedMs: number };

/** An empty buffer. `nowMs` is a clock that never goes back. */
export function createFeedBuffer(nowMs: () => number = () => performance.now()): FeedBuffer {
  const entries = new Map<string, Entry>();
  return {
    read<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
      const kept = entries.get(key);
      if (kept !== undefined && nowMs() - kept.startedMs < AGE_MAX_MS) return kept.value as Promise<Value>;
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
