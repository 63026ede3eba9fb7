import { expect, test, vi } from 'vitest';
import { shareQuery } from './shared-query.ts';

/** A query whose results the test emits. */
function fakeQuery() {
  const observers: { next(value: number): void; error(error: unknown): void }[] = [];
  const unsubscribe = vi.fn();
  const subscribe = vi.fn((observer) => {
    observers.push(observer);
    return { unsubscribe, closed: false };
  });
  return { query: { subscribe }, observers, unsubscribe };
}

test('a query runs once for all its subscribers, each of which gets every result', () => {
  const { query, observers } = fakeQuery();
  const shared = shareQuery<number>(query);
  const [first, second] = [vi.fn(), vi.fn()];
  shared.subscribe(first, vi.fn());
  shared.subscribe(second, vi.fn());
  expect(query.subscribe).toHaveBeenCalledTimes(1);
  observers[0]?.next(1);
  expect([first.mock.calls, second.mock.calls]).toEqual([[[1]], [[1]]]);
});

test('a later subscriber gets the last result at once', () => {
  const { query, observers } = fakeQuery();
  const shared = shareQuery<number>(query);
  expect(shared.hasValue()).toBe(false);
  const stop = shared.subscribe(vi.fn(), vi.fn());
  observers[0]?.next(1);
  stop();
  expect([shared.hasValue(), shared.getValue()]).toEqual([true, 1]);
  const later = vi.fn();
  shared.subscribe(later, vi.fn());
  expect(later.mock.calls).toEqual([[1]]);
});

test('the query stops when its last subscriber leaves, and runs again for the next subscriber', () => {
  const { query, unsubscribe } = fakeQuery();
  const shared = shareQuery<number>(query);
  const [stopFirst, stopSecond] = [shared.subscribe(vi.fn(), vi.fn()), shared.subscribe(vi.fn(), vi.fn())];
  stopFirst();
  expect(unsubscribe).not.toHaveBeenCalled();
  stopSecond();
  expect(unsubscribe).toHaveBeenCalledTimes(1);
  shared.subscribe(vi.fn(), vi.fn());
  expect(query.subscribe).toHaveBeenCalledTimes(2);
});

test('every subscriber receives an error', () => {
  const { query, observers } = fakeQuery();
  const shared = shareQuery<number>(query);
  const errorHandlers = [vi.fn(), vi.fn()];
  for (const onError of errorHandlers) shared.subscribe(vi.fn(), onError);
  const error = new Error('closed');
  observers[0]?.error(error);
  expect(errorHandlers.map(({ mock }) => mock.calls)).toEqual([[[error]], [[error]]]);
});
