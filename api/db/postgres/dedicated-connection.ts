/** Runs queries on a connection that nothing else uses, or on the pool while one of them takes too long there. */
export type DedicatedConnection<Handle> = <Result>(
  work: (handle: Handle) => Promise<Result>,
) => Promise<Result>;

/**
 * Runs `work` on a dedicated connection, where queries are pipelined: each is sent at once, without waiting for the response to
 * the previous one, so that the database never waits for this process in between. While a call of `work` takes longer than
 * `stalledAfterMs`, for example because of a lock or a connection that hangs, further calls run on `pool`.
 */
export function createDedicatedConnection<Handle>(
  { own, pool }: { own: Handle; pool: Handle },
  stalledAfterMs: number,
): DedicatedConnection<Handle> {
  let stalledCalls = 0;
  return async (work) => {
    if (stalledCalls > 0) return work(pool);
    let isStalled = false;
    const timer = setTimeout(() => {
      isStalled = true;
      stalledCalls += 1;
    }, stalledAfterMs).unref();
    try {
      return await work(own);
    } finally {
      clearTimeout(timer);
      if (isStalled) stalledCalls -= 1;
    }
  };
}
