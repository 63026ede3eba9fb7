import { AppError } from '#api/errors.ts';

export type ImageGate = {
  /**
   * Runs `work` when a place is free; `work` can ask whether it had all places for itself from its start until
   * then. Rejects with `busy` (503) when the waiting line is full.
   */
  run<T>(work: (wasAlone: () => boolean) => Promise<T>, signal?: AbortSignal): Promise<T>;
};

type Waiter = { start: () => void; refuse: (reason: unknown) => void };

/**
 * Lets `places` jobs run at once and `lineMax` more wait in order of arrival. A waiting caller whose `signal`
 * aborts leaves the line; work that has begun is left to finish, so that its place is really free afterwards.
 */
export function createImageGate(options: {
  places: number;
  lineMax: number;
  retryAfterSeconds: number;
}): ImageGate {
  let running = 0;
  let started = 0;
  const line: Waiter[] = [];

  function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (running < options.places) {
      running += 1;
      return Promise.resolve();
    }
    if (line.length >= options.lineMax) {
      throw new AppError('busy', { retryAfterSeconds: options.retryAfterSeconds });
    }
    return new Promise((start, refuse) => {
      const waiter: Waiter = { start, refuse };
      line.push(waiter);
      signal?.addEventListener('abort', () => {
        const place = line.indexOf(waiter);
        if (place === -1) return;
        line.splice(place, 1);
        refuse(signal.reason);
      });
    });
  }

  function leave(): void {
    const next = line.shift();
    if (next === undefined) running -= 1;
    else next.start();
  }

  return {
    async run(work, signal) {
      await enter(signal);
      started += 1;
      const [ownNumber, startedAlone] = [started, running === 1];
      try {
        return await work(() => startedAlone && started === ownNumber);
      } finally {
        leave();
      }
    },
  };
}
