import { expect, test, vi } from 'vitest';
import { LANES } from '#sync/operations/operation.ts';
import { settled } from '#sync/testing/settled.ts';
import { browserLock, drainLockName, stopSending } from './lock.ts';

// Uses the real Web Locks of Node; lock.test.ts uses fakes.
const lock = browserLock();

/** Holds the lock of the `creations` lane, as a drain does, until the returned function is called. */
async function startSending(userId: number) {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const sending = lock.run(drainLockName(userId, 'creations'), () => {
    started.resolve();
    return ended.promise;
  });
  await started.promise;
  return async () => {
    ended.resolve();
    await sending;
  };
}

/** Whether the lock of each lane is free. */
const areLanesFree = (userId: number) =>
  Promise.all(LANES.map((lane) => lock.run(drainLockName(userId, lane), async () => {})));

test('stopSending waits until nothing is being sent, and then holds the lane locks of this user only', async () => {
  const endSending = await startSending(1);
  const stopping = stopSending(1, 10_000);
  let hasStopped = false;
  void stopping.then(() => {
    hasStopped = true;
  });
  await settled();
  expect(hasStopped).toBe(false);
  await endSending();
  await stopping;
  expect(await areLanesFree(1)).toEqual([false, false]);
  expect(await areLanesFree(2)).toEqual([true, true]);
});

test('once sending is resumed, the lanes are free, and sending can be stopped again', async () => {
  const resumeSending = await stopSending(4, 10_000);
  resumeSending();
  await vi.waitFor(async () => expect(await areLanesFree(4)).toEqual([true, true]));
  await stopSending(4, 10_000);
  expect(await areLanesFree(4)).toEqual([false, false]);
});

test('stopSending stops waiting for a lane whose drain has not ended after the timeout', async () => {
  const endSending = await startSending(3);
  await stopSending(3, 20);
  expect(await areLanesFree(3)).toEqual([false, false]);
  await endSending();
  await vi.waitFor(async () => expect(await areLanesFree(3)).toEqual([false, true]));
});
