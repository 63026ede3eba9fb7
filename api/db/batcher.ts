import { type Context, context } from '@opentelemetry/api';
import { traceTogether } from '#api/tracing/spans.ts';

/** A function whose concurrent calls are carried out together. */
export type Batcher<Input, Output> = (input: Input) => Promise<Output>;

type WaitingCall<Input, Output> = {
  input: Input;
  /** The trace that the call is part of. */
  caller: Context;
  resolve(output: Output | Promise<Output>): void;
  reject(error: unknown): void;
};

type BatcherOptions = { size: number; concurrent?: number; stalledAfterMs?: number };

/** The time after which a batch no longer delays the next one. */
export const STALLED_AFTER_MS = 500;

/**
 * Collects concurrent calls, and passes up to `size` of them to `run` at once. While `concurrent` batches are running, later
 * calls wait for the next batch. `run` resolves with one output (or the promise of one) per input, in their order; if it rejects,
 * so does every call of the batch. A batch that takes longer than `stalledAfterMs`, for example on a connection that hangs, no
 * longer delays the next one.
 */
export function createBatcher<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly (Output | Promise<Output>)[]>,
  { size, concurrent = 1, stalledAfterMs = STALLED_AFTER_MS }: BatcherOptions,
): Batcher<Input, Output> {
  let waiting: WaitingCall<Input, Output>[] = [];
  let running = 0;

  function runNext(): void {
    const batch = waiting.slice(0, size);
    waiting = waiting.slice(size);
    let hasStartedNext = false;
    const startNext = () => {
      if (hasStartedNext) return;
      hasStartedNext = true;
      clearTimeout(timer);
      if (waiting.length > 0) setImmediate(runNext);
      else running -= 1;
    };
    const timer = setTimeout(startNext, stalledAfterMs).unref();
    runBatch(batch).then(startNext);
  }

  /** Never rejects. */
  async function runBatch(batch: readonly WaitingCall<Input, Output>[]): Promise<void> {
    // A batch that started in the same turn of the event loop has taken all calls.
    if (batch.length === 0) return;
    try {
      const outputs = await traceTogether(
        batch.map(({ caller }) => caller),
        () => run(batch.map(({ input }) => input)),
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const output = outputs[index];
        if (output === undefined) reject(new Error('A batch has too few outputs.'));
        else resolve(output);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, caller: context.active(), resolve, reject });
      if (running === concurrent) return;
      running += 1;
      // Requests that have arrived together reach this point in the same turn of the event loop.
      setImmediate(runNext);
    });
}
