import { expect, test, vi } from 'vitest';
import { observable } from './observable.ts';

test('subscribers are called after each change until they unsubscribe', () => {
  const value = observable(1);
  const [firstListener, secondListener] = [vi.fn(), vi.fn(() => value.get())];
  const unsubscribe = value.subscribe(firstListener);
  value.subscribe(secondListener);
  value.set(2);
  unsubscribe();
  value.set(3);
  expect(value.get()).toBe(3);
  expect(firstListener).toHaveBeenCalledTimes(1);
  expect(secondListener.mock.results.map((result) => result.value)).toEqual([2, 3]);
});
