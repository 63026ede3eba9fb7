import { expect, test } from 'vitest';
import { createReadCache, ENTRIES_MAX } from './read-cache.ts';

test('a loaded value is shared until its lifetime ends, then loaded again', async () => {
  let nowMs = 0;
  let loads = 0;
  const cache = createReadCache(100, () => nowMs);
  const read = () => cache.read('totals', async () => ++loads);
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  nowMs = 99;
  expect(await read()).toBe(1);
  nowMs = 100;
  expect(await read()).toBe(2);
  cache.drop();
  expect(await read()).toBe(3);
});

test('an error is not cached', async () => {
  const cache = createReadCache(100, () => 0);
  await expect(cache.read('totals', () => Promise.reject(new Error('database unavailable')))).rejects.toThrow(
    'database unavailable',
  );
  expect(await cache.read('totals', async () => 'there')).toBe('there');
});

test('an entry can have a longer lifetime', async () => {
  let nowMs = 0;
  let loads = 0;
  const cache = createReadCache(100, () => nowMs);
  const read = () => cache.read('results', async () => ++loads, 1_000);
  await read();
  nowMs = 999;
  expect(await read()).toBe(1);
  nowMs = 1_000;
  expect(await read()).toBe(2);
});

test('the oldest entry is evicted when the cache is full', async () => {
  const loads: number[] = [];
  const cache = createReadCache(100, () => 0);
  const read = (index: number) => cache.read(`search ${index}`, async () => loads.push(index));
  // One entry more than the cache can hold.
  for (let index = 0; index <= ENTRIES_MAX; index += 1) await read(index);
  loads.length = 0;
  await Promise.all([read(1), read(ENTRIES_MAX), read(0)]);
  expect(loads).toEqual([0]);
});
