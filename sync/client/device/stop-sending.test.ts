import { expect, test } from 'vitest';
import { LANES } from '#sync/operations/operation.ts';
import { settled } from '#sync/testing/settled.ts';
import { browserLock, drainLockName, stopSending } from './lock.ts';

const lock = browserLock();

/** Holds the lock of the `creations` lane, as a drain does, until the returned function is called. */
async function startSending(userId: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const sending = lock.run(drainLockName(userId, 'creations'), () => {
    begin();
    return promise;
  });
  await started;
  return async () => {
    resolve();
    await sending;
  };
}

const canSend = (userId: number) =>
  Promise.all(LANES.map((lane) => lock.run(drainLockName(userId, lane), async () => {})));

test('stopping waits until nothing is being sent, and then prevents sending for this user, not for others', async () => {
  const stop = await startSending(1);
  const finished = stopSending(1, 10_000);
  let isFinished = false;
  void finished.then(() => {
    isFinished = true;
  });
  await settled();
  expect(isFinished).toBe(false);
  await stop();
  await finished;
  expect(await canSend(1)).toEqual([false, false]);
  expect(await canSend(2)).toEqual([true, true]);
});

test('stopping waits no longer than the maximum', async () => {
  const stop = await startSending(3);
  await stopSending(3, 20);
  await stop();
});
