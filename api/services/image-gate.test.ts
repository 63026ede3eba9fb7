import { describe, expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { createImageGate } from './image-gate.ts';

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('was taken'),
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.code : String(error);
}

describe('the waiting line', () => {
  test('lets two decode at once, others wait, and past its bound answers busy', async () => {
    const gate = createImageGate({ places: 2, lineMax: 3, retryAfterSeconds: 5 });
    let running = 0;
    let most = 0;
    const job = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => codeOf(gate.run(job))));
    expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(3);
    expect(most).toBe(2);
    expect(gate.load()).toEqual({ running: 0, waiting: 0 });
  });

  test('is left by a caller who hangs up, without taking a place', async () => {
    const gate = createImageGate({ places: 1, lineMax: 3, retryAfterSeconds: 5 });
    const { promise: first, resolve: finish } = Promise.withResolvers<void>();
    const running = gate.run(() => first);
    const caller = new AbortController();
    const waiting = gate.run(async () => 'ran', caller.signal);
    caller.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    finish();
    await running;
    expect(gate.load()).toEqual({ running: 0, waiting: 0 });
    expect(await gate.run(async () => 'ran')).toBe('ran');
  });
});
