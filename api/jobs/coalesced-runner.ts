export type CoalescedRunner = {
  /** Begins a round, or has another one follow the one under way. */
  wake(): void;
  /** Resolves once the round under way has ended. */
  underWay(): Promise<void>;
};

/** Has `work`, which never rejects, done in one round at a time, until `signal` aborts. */
export function createCoalescedRunner(work: () => Promise<void>, signal: AbortSignal): CoalescedRunner {
  let state: 'idle' | 'running' | 'running, then again' = 'idle';
  let round: Promise<void> = Promise.resolve();

  function wake(): void {
    if (state === 'running') state = 'running, then again';
    if (state !== 'idle' || signal.aborted) return;
    state = 'running';
    round = work().then(() => {
      const isAskedAgain = state === 'running, then again';
      state = 'idle';
      if (isAskedAgain) wake();
    });
  }

  return { wake, underWay: () => round };
}
