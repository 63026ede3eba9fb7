import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';

/** A batcher that doubles numbers. Each batch waits for `finish` or `finishAll`. */
function createDoublingBatcher({
  size,
  concurrent = 1,
  stalledAfterMs = 20_000,
}: {
  size: number;
  concurrent?: number;
  stalledAfterMs?: number;
}) {
  const batches: number[][] = [];
  const waiting: (() => void)[] = [];
  const double = createBatcher<number, number>(
    async (numbers) => {
      batches.push([...numbers]);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return numbers.map((number) => number * 2);
    },
    { size, concurrent, stalledAfterMs },
  );
  const finish = async () => {
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()?.();
  };
  const finishAll = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { double, batches, finish, finishAll };
}

test('concurrent calls run together, and each gets its own output', async () => {
  const { double, batches, finish } = createDoublingBatcher({ size: 10 });
  const results = Promise.all([1, 2, 3].map(double));
  await finish();
  expect(await results).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('calls during a batch wait for the next one, which has at most the maximum size', async () => {
  const { double, batches, finish } = createDoublingBatcher({ size: 2 });
  const first = double(1);
  await expect.poll(() => batches.length).toBe(1);
  const others = Promise.all([2, 3, 4].map(double));
  for (let index = 0; index < 3; index += 1) await finish();
  expect([await first, ...(await others)]).toEqual([2, 4, 6, 8]);
  expect(batches).toEqual([[1], [2, 3], [4]]);
});

test('the allowed number of batches run concurrently, and none is empty', async () => {
  const { double, batches, finishAll } = createDoublingBatcher({ size: 2, concurrent: 2 });
  const first = [double(1), double(2), double(3)];
  await expect.poll(() => batches).toEqual([[1, 2], [3]]);
  const others = [double(4), double(5)];
  await nextTurn();
  expect(batches).toHaveLength(2);
  finishAll();
  await expect.poll(() => batches).toEqual([[1, 2], [3], [4, 5]]);
  finishAll();
  expect(await Promise.all([...first, ...others])).toEqual([2, 4, 6, 8, 10]);
});

test('a batch that never completes does not delay later batches forever', async () => {
  const batches: number[][] = [];
  const double = createBatcher<number, number>(
    async (numbers) => {
      batches.push([...numbers]);
      if (numbers.includes(1)) await new Promise(() => {});
      return numbers.map((number) => number * 2);
    },
    { size: 10, stalledAfterMs: 50 },
  );
  double(1);
  await expect.poll(() => batches).toEqual([[1]]);
  expect(await Promise.all([double(2), double(3)])).toEqual([4, 6]);
  expect(await double(4)).toBe(8);
  expect(batches).toEqual([[1], [2, 3], [4]]);
});

test('a batch that completes after its timeout does not raise the number of concurrent batches', async () => {
  const { double, batches, finishAll } = createDoublingBatcher({ size: 1, stalledAfterMs: 300 });
  const stalled = double(1);
  await expect.poll(() => batches).toEqual([[1]]);
  const second = double(2);
  await expect.poll(() => batches).toEqual([[1], [2]]);
  finishAll();
  expect(await Promise.all([stalled, second])).toEqual([2, 4]);
  const others = [double(3), double(4)];
  await expect.poll(() => batches).toHaveLength(3);
  await nextTurn();
  await nextTurn();
  expect(batches).toHaveLength(3);
  finishAll();
  await expect.poll(() => batches).toHaveLength(4);
  finishAll();
  expect(await Promise.all(others)).toEqual([6, 8]);
});

test('an error rejects every call of its batch and no other', async () => {
  const inverse = createBatcher<number, number>(
    async (numbers) => {
      if (numbers.includes(0)) throw new RangeError('zero');
      return numbers.map((number) => 1 / number);
    },
    { size: 2 },
  );
  const results = await Promise.allSettled([2, 0, 4].map(inverse));
  expect(results).toMatchObject([
    { reason: { message: 'zero' } },
    { reason: { message: 'zero' } },
    { value: 0.25 },
  ]);
});

test('an output may be a promise, whose rejection affects only its call', async () => {
  const inverse = createBatcher<number, number>(
    async (numbers) =>
      numbers.map(async (number) => {
        if (number === 0) throw new RangeError('zero');
        return 1 / number;
      }),
    { size: 10 },
  );
  const results = await Promise.allSettled([2, 0].map(inverse));
  expect(results).toMatchObject([{ value: 0.5 }, { reason: { message: 'zero' } }]);
});

test('a call for which the batch has no output is rejected', async () => {
  const broken = createBatcher<number, number>(async () => [1], { size: 10 });
  const results = await Promise.allSettled([1, 2].map(broken));
  expect(results).toMatchObject([{ value: 1 }, { reason: { message: 'A batch has too few outputs.' } }]);
});
