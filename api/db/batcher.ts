/** Calls that are carried out together. */
export type Batcher<Input, Output> = (input: Input) => Promise<Output>;

type Waiting<Input, Output> = {
  input: Input;
  resolve(output: Output | Promise<Output>): void;
  reject(error: unknown): void;
};

/**
 * Collects concurrent calls and passes up to `size` of them to `run` at once; while `concurrent` batches are under way, later
 * calls wait for the next one. `run` resolves with one output (or the promise of one) per input, in their order; its error is
 * the error of every call of the batch.
 */
export function createBatcher<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly (Output | Promise<Output>)[]>,
  { size, concurrent = 1 }: { size: number; concurrent?: number },
): Batcher<Input, Output> {
  let waiting: Waiting<Input, Output>[] = [];
  let running = 0;

  async function runNext(): Promise<void> {
    const batch = waiting.slice(0, size);
    waiting = waiting.slice(size);
    if (batch.length > 0) await runBatch(batch);
    if (waiting.length > 0) setImmediate(runNext);
    else running -= 1;
  }

  async function runBatch(batch: readonly Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await run(batch.map(({ input }) => input));
      for (const [nth, { resolve, reject }] of batch.entries()) {
        const output = outputs[nth];
        if (output === undefined) reject(new Error('A batch has too few outputs.'));
        else resolve(output);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (running === concurrent) return;
      running += 1;
      // Requests that have arrived together get this far in the same turn of the event loop.
      setImmediate(runNext);
    });
}
