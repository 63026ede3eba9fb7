import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

/**
 * `begin` requests a slot for a piece of work. `started` has the names of the pieces that have got a slot, in that order. `end`
 * releases the slot of a piece, or cancels its request.
 */
function createWork(limits: { total: number; perKey: number }) {
  const slots = createSlots(limits);
  const started: string[] = [];
  const begin = (key: string, name: string) => {
    const ended = new AbortController();
    const turn = slots.hold(key, ended.signal);
    turn.then((isHeld) => {
      if (isHeld) started.push(name);
    });
    return { turn, end: () => ended.abort() };
  };
  return { begin, started, untilSettled: () => new Promise((resolve) => setImmediate(resolve)) };
}

test('limits the slots in total and per key, and lets further callers wait', async () => {
  const { begin, started, untilSettled } = createWork({ total: 3, perKey: 2 });
  const first = begin('a', 'a1');
  for (const name of ['a2', 'a3']) begin('a', name);
  begin('b', 'b1');
  const last = begin('b', 'b2');
  await untilSettled();
  expect(started).toEqual(['a1', 'a2', 'b1']);
  first.end();
  // Frees no second slot.
  first.end();
  await untilSettled();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  last.end();
  expect(await last.turn).toBe(false);
});

test('keys take turns', async () => {
  const { begin, started, untilSettled } = createWork({ total: 1, perKey: 1 });
  const works = new Map(['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => [name, begin(name.charAt(0), name)]));
  for (let index = 0; index < works.size; index += 1) {
    await untilSettled();
    works.get(started.at(-1) ?? '')?.end();
  }
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('a caller whose signal aborts while it waits leaves the queue and takes no slot', async () => {
  const { begin, started, untilSettled } = createWork({ total: 1, perKey: 1 });
  const first = begin('a', 'a1');
  const second = begin('a', 'a2');
  begin('a', 'a3');
  second.end();
  expect(await second.turn).toBe(false);
  first.end();
  await untilSettled();
  expect(started).toEqual(['a1', 'a3']);
  expect(await createSlots({ total: 1, perKey: 1 }).hold('a', AbortSignal.abort())).toBe(false);
});
