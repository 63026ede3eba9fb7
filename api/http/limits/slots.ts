/**
 * Slots for work that holds memory or files: at most `total` at once, and `perKey` for each key, such as a client's network.
 * Callers without a free slot wait; keys take turns, so that a key with much work does not delay the others.
 */
export function createSlots({ total, perKey }: { total: number; perKey: number }) {
  let taken = 0;
  const takenBy = new Map<string, number>();
  /** The functions that start the waiting callers, by key; the key whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>();

  const isFree = (key: string) => taken < total && (takenBy.get(key) ?? 0) < perKey;

  function take(key: string, ended: AbortSignal): void {
    taken += 1;
    takenBy.set(key, (takenBy.get(key) ?? 0) + 1);
    ended.addEventListener('abort', () => release(key), { once: true });
  }

  function release(key: string): void {
    taken -= 1;
    const remaining = (takenBy.get(key) ?? 0) - 1;
    if (remaining > 0) takenBy.set(key, remaining);
    else takenBy.delete(key);
    startNext();
  }

  function startNext(): void {
    for (const [key, starts] of waiting) {
      if (!isFree(key)) continue;
      const start = starts.shift();
      waiting.delete(key);
      if (starts.length > 0) waiting.set(key, starts);
      start?.();
      return;
    }
  }

  function leave(key: string, start: () => void): void {
    const others = (waiting.get(key) ?? []).filter((other) => other !== start);
    if (others.length > 0) waiting.set(key, others);
    else waiting.delete(key);
  }

  function waitForTurn(key: string, ended: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const onEnd = () => {
        leave(key, start);
        resolve(false);
      };
      const start = () => {
        ended.removeEventListener('abort', onEnd);
        take(key, ended);
        resolve(true);
      };
      const starts = waiting.get(key);
      if (starts === undefined) waiting.set(key, [start]);
      else starts.push(start);
      ended.addEventListener('abort', onEnd, { once: true });
    });
  }

  return {
    /**
     * Resolves with true once a slot is taken, which is released when `ended` aborts. Resolves with false if `ended` aborts
     * first.
     */
    async hold(key: string, ended: AbortSignal): Promise<boolean> {
      if (ended.aborted) return false;
      if (!isFree(key)) return waitForTurn(key, ended);
      take(key, ended);
      return true;
    },
  };
}
