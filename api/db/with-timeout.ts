/** Resolves as `work` does; rejects with `error` when it takes longer than `ms` milliseconds. `work` itself is not ended. */
export async function withTimeout<Result>(
  ms: number,
  work: PromiseLike<Result>,
  error: () => Error = () => new Error(`Timed out after ${ms} ms.`),
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error()), ms).unref();
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
