import { describe, expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('succeeded'),
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.code : String(error);
}

describe('the concurrency limiter', () => {
  test('runs two pieces of work at once, queues others, and throws `busy` when the queue is full', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 2, queueMax: 3, retryAfterSeconds: 5 });
    let running = 0;
    let runningMax = 0;
    const work = async () => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => codeOf(limiter.run(work))));
    expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(3);
    expect(runningMax).toBe(2);
    const later = await Promise.all(Array.from({ length: 6 }, () => codeOf(limiter.run(work))));
    expect(later.filter((outcome) => outcome === 'busy')).toHaveLength(1);
  });

  test('removes waiting work from the queue when its client disconnects', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 1, queueMax: 1, retryAfterSeconds: 5 });
    const { promise: first, resolve: finish } = Promise.withResolvers<void>();
    const running = limiter.run(() => first);
    const caller = new AbortController();
    const waiting = limiter.run(async () => 'ran', { client: '203.0.113.9', signal: caller.signal });
    caller.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    const next = limiter.run(async () => 'ran');
    finish();
    await running;
    expect(await next).toBe('ran');
  });

  test('lets the networks of the callers and the background work take turns', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 1, queueMax: 10, retryAfterSeconds: 5 });
    const { promise: first, resolve: finish } = Promise.withResolvers<void>();
    const running = limiter.run(() => first);
    const order: string[] = [];
    const clients = ['192.0.2.1', '192.0.2.1', '2001:db8:1:1::/64', '2001:db8:1:2::/64', undefined];
    const outcomes = clients.map((client, index) =>
      limiter.run(async () => void order.push(`${index}`), client === undefined ? client : { client }),
    );
    finish();
    await Promise.all([running, ...outcomes]);
    expect(order).toEqual(['0', '2', '4', '1', '3']);
  });

  test('tells each piece of work whether any other ran at the same time', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 2, queueMax: 3, retryAfterSeconds: 5 });
    expect(await limiter.run(async (wasAlone) => wasAlone())).toBe(true);
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    const first = limiter.run(async (wasAlone) => {
      await end;
      return wasAlone();
    });
    expect(await limiter.run(async (wasAlone) => wasAlone())).toBe(false);
    finish();
    expect(await first).toBe(false);
    expect(await limiter.run(async (wasAlone) => wasAlone())).toBe(true);
  });
});
