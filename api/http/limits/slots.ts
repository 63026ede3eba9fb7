type Waiter = { start: () => void };

/**
 * Slots for work that holds memory or files: at most `total` at once and `perKey` for a key. Callers without a free slot wait;
 * keys take turns, so that one with much work does not delay the others.
 */
export function createSlots({ total, perKey }: { total: number; perKey: number }) {
  let taken = 0;
  const takenBy = new Map<string, number>();
  /** The waiters by key; the key whose turn is next comes first. */
  const waiting = new Map<string, Waiter[]>();

  const isFree = (key: string) => taken < total && (takenBy.get(key) ?? 0) < perKey;

  function take(key: string): void {
    taken += 1;
    takenBy.set(key, (takenBy.get(key) ?? 0) + 1);
  }

  function release(key: string): void {
    taken -= 1;
    const left = (takenBy.get(key) ?? 0) - 1;
    if (left > 0) takenBy.set(key, left);
    else takenBy.delete(key);
    startNext();
  }

  function startNext(): void {
    for (const [key, waiters] of waiting) {
      if (!isFree(key)) continue;
      const next = waiters.shift();
      waiting.delete(key);
      if (waiters.length > 0) waiting.set(key, waiters);
      take(key);
      next?.start();
      return;
    }
  }

  function leave(key: string, waiter: Waiter): void {
    const left = (waiting.get(key) ?? []).filter((one) => one !== waiter);
    if (left.length > 0) waiting.set(key, left);
    else waiting.delete(key);
  }

  function waitForTurn(key: string, ended: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const onEnd = () => {
        leave(key, waiter);
        resolve(false);
      };
      const waiter: Waiter = {
        start: () => {
          ended.removeEventListener('abort', onEnd);
          ended.addEventListener('abort', () => release(key), { once: true });
          resolve(true);
        },
      };
      const others = waiting.get(key);
      if (others === undefined) waiting.set(key, [waiter]);
      else others.push(waiter);
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
      take(key);
      ended.addEventListener('abort', () => release(key), { once: true });
      return true;
    },
  };
}
