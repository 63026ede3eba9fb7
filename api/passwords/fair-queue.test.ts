import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { createFairQueue } from './fair-queue.ts';

/** A queue with one slot, which is taken until `end` is called. `add` queues work that appends its name to `order`. */
function takenQueue(queueMax: number) {
  const queue = createFairQueue({ concurrency: 1, queueMax, retryAfterSeconds: 5 });
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const first = queue.run(['first'], () => promise);
  const order: string[] = [];
  const add = (name: string, path: readonly string[], signal?: AbortSignal) => {
    const work = async () => {
      await nextTurn();
      order.push(name);
    };
    return queue.run(path, work, signal).then(
      () => 'done',
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
  };
  const end = async () => {
    finish();
    await first;
  };
  return { add, order, end };
}

describe('the fair queue', () => {
  test('runs as many tasks at once as allowed', async () => {
    const queue = createFairQueue({ concurrency: 2, queueMax: 10, retryAfterSeconds: 5 });
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      running -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => queue.run([`network ${number % 3}`], work)));
    expect(most).toBe(2);
  });

  test('networks take turns', async () => {
    const { add, order, end } = takenQueue(10);
    const outcomes = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => add(name, [name.charAt(0)]));
    await end();
    await Promise.all(outcomes);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('networks within a network take turns', async () => {
    const { add, order, end } = takenQueue(10);
    const outcomes = [
      add('a1', ['wide', 'a']),
      add('a2', ['wide', 'a']),
      add('b1', ['wide', 'b']),
      add('c1', ['other']),
      add('c2', ['other']),
      add('c3', ['other']),
    ];
    await end();
    await Promise.all(outcomes);
    expect(order).toEqual(['a1', 'c1', 'b1', 'c2', 'a2', 'c3']);
  });

  test('refuses a network that has filled it', async () => {
    const { add, end } = takenQueue(3);
    const outcomes = Array.from({ length: 5 }, (_, number) => add(`a${number}`, ['a']));
    await end();
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'done', 'busy', 'busy']);
  });

  test('when full drops the last task of the network with the most tasks for another network', async () => {
    const { add, order, end } = takenQueue(4);
    const outcomes = [
      add('a1', ['a', 'x']),
      add('a2', ['a', 'y']),
      add('a3', ['a', 'y']),
      add('b1', ['b']),
      add('c1', ['c']),
      add('d1', ['d']),
    ];
    await end();
    expect(await Promise.all(outcomes)).toEqual(['done', 'busy', 'busy', 'done', 'done', 'done']);
    expect(order).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  test('when full with one task per network, refuses another network', async () => {
    const { add, end } = takenQueue(2);
    const outcomes = [add('a1', ['a']), add('b1', ['b']), add('c1', ['c'])];
    await end();
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'busy']);
  });

  test('removes the waiting tasks of clients that disconnect, and frees their places', async () => {
    const { add, order, end } = takenQueue(2);
    const caller = new AbortController();
    const outcomes = [add('a1', ['a'], caller.signal), add('a2', ['a'], caller.signal)];
    caller.abort();
    outcomes.push(add('late', ['a'], caller.signal), add('b1', ['b']), add('b2', ['b']));
    await end();
    expect(await Promise.all(outcomes)).toEqual([
      'invalid_input',
      'invalid_input',
      'invalid_input',
      'done',
      'done',
    ]);
    expect(order).toEqual(['b1', 'b2']);
  });

  test('a failing task frees its slot', async () => {
    const queue = createFairQueue({ concurrency: 1, queueMax: 1, retryAfterSeconds: 5 });
    await expect(queue.run(['a'], () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await queue.run(['a'], async () => 'ran')).toBe('ran');
  });
});
