import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { createFairQueue } from './fair-queue.ts';

/** A queue whose only slot is busy until `freeSlot` is called. `enqueue` queues work that appends its name to `order`. */
function busyQueue(queueMax: number) {
  const queue = createFairQueue({ concurrency: 1, queueMax, retryAfterSeconds: 5 });
  const { promise, resolve: endWork } = Promise.withResolvers<void>();
  const busySlot = queue.run(['first'], () => promise);
  const order: string[] = [];
  const enqueue = (name: string, networks: readonly string[], signal?: AbortSignal) => {
    const work = async () => {
      await nextTurn();
      order.push(name);
    };
    return queue.run(networks, work, signal).then(
      () => 'done',
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
  };
  const freeSlot = async () => {
    endWork();
    await busySlot;
  };
  return { enqueue, order, freeSlot };
}

describe('the fair queue', () => {
  test('runs as many pieces of work at once as allowed', async () => {
    const queue = createFairQueue({ concurrency: 2, queueMax: 10, retryAfterSeconds: 5 });
    let running = 0;
    let maxRunning = 0;
    const work = async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await nextTurn();
      running -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => queue.run([`network ${number % 3}`], work)));
    expect(maxRunning).toBe(2);
  });

  test('lets networks take turns', async () => {
    const { enqueue, order, freeSlot } = busyQueue(10);
    // Each name begins with that of its network.
    const outcomes = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enqueue(name, [name.charAt(0)]));
    await freeSlot();
    await Promise.all(outcomes);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('lets networks within a network take turns', async () => {
    const { enqueue, order, freeSlot } = busyQueue(10);
    const outcomes = [
      enqueue('a1', ['wide', 'a']),
      enqueue('a2', ['wide', 'a']),
      enqueue('b1', ['wide', 'b']),
      enqueue('c1', ['other']),
      enqueue('c2', ['other']),
      enqueue('c3', ['other']),
    ];
    await freeSlot();
    await Promise.all(outcomes);
    expect(order).toEqual(['a1', 'c1', 'b1', 'c2', 'a2', 'c3']);
  });

  test('rejects further callers of a network that fills the queue', async () => {
    const { enqueue, freeSlot } = busyQueue(3);
    const outcomes = Array.from({ length: 5 }, (_, number) => enqueue(`a${number}`, ['a']));
    await freeSlot();
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'done', 'busy', 'busy']);
  });

  test('rejects the latest caller of the largest subnetwork of the largest network when the queue is full', async () => {
    const { enqueue, order, freeSlot } = busyQueue(4);
    const outcomes = [
      enqueue('a1', ['a', 'small']),
      enqueue('a2', ['a', 'large']),
      enqueue('a3', ['a', 'large']),
      enqueue('b1', ['b']),
      // Replaces a3.
      enqueue('c1', ['c']),
      // Replaces a2: of two subnetworks of equal size, the one whose turn is later loses a caller.
      enqueue('d1', ['d']),
    ];
    await freeSlot();
    expect(await Promise.all(outcomes)).toEqual(['done', 'busy', 'busy', 'done', 'done', 'done']);
    expect(order).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  test('rejects the caller of a further network when the queue is full with one caller per network', async () => {
    const { enqueue, freeSlot } = busyQueue(2);
    const outcomes = [enqueue('a1', ['a']), enqueue('b1', ['b']), enqueue('c1', ['c'])];
    await freeSlot();
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'busy']);
  });

  test('rejects callers that disconnect before their turn, and frees their places', async () => {
    const { enqueue, order, freeSlot } = busyQueue(2);
    const client = new AbortController();
    const outcomes = [enqueue('a1', ['a'], client.signal), enqueue('a2', ['a'], client.signal)];
    client.abort();
    outcomes.push(enqueue('a3', ['a'], client.signal), enqueue('b1', ['b']), enqueue('b2', ['b']));
    await freeSlot();
    expect(await Promise.all(outcomes)).toEqual([
      'invalid_input',
      'invalid_input',
      'invalid_input',
      'done',
      'done',
    ]);
    expect(order).toEqual(['b1', 'b2']);
  });

  test('frees the slot of failing work', async () => {
    const queue = createFairQueue({ concurrency: 1, queueMax: 1, retryAfterSeconds: 5 });
    await expect(queue.run(['a'], () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await queue.run(['a'], async () => 'ran')).toBe('ran');
  });
});
