import { expect, test } from 'vitest';
import { AppError } from '#api/errors.ts';
import { createTestApp, useUp } from '#api/testing/test-app.ts';
import { countAttempt, withAttempt } from './attempts.ts';
import { createLimits } from './limits.ts';

const { db } = await createTestApp();

test('a call that is refused because of a limit does not count', async () => {
  const { creationsAMinute } = createLimits(db, { enabled: true });
  await useUp(creationsAMinute, 7, { callsLeft: 1 });
  const firstAttempt = await countAttempt([creationsAMinute], 7);
  expect(firstAttempt.refusal).toBeNull();
  for (let count = 1; count <= 3; count += 1) {
    const { refusal, undo } = await countAttempt([creationsAMinute], 7);
    expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
    await undo();
  }
  await firstAttempt.undo();
  // A repeated undo has no effect.
  await firstAttempt.undo();
  expect((await countAttempt([creationsAMinute], 7)).refusal).toBeNull();
  expect((await countAttempt([creationsAMinute], 7)).refusal).not.toBeNull();
});

test('a call beyond one limit is not counted by the other limits', async () => {
  const { creationsAMinute, creationsAnHour } = createLimits(db, { enabled: true });
  await useUp(creationsAMinute, 8, { callsLeft: 1 });
  await useUp(creationsAnHour, 8);
  expect((await countAttempt([creationsAMinute, creationsAnHour], 8)).refusal).not.toBeNull();
  expect((await countAttempt([creationsAMinute], 8)).refusal).toBeNull();
});

test.each([
  [new AppError('busy'), true],
  [new AppError('unavailable'), true],
  [new AppError('in_flight'), true],
  [Object.assign(new Error('connection closed'), { code: 'CONNECTION_CLOSED' }), true],
  [new Error('a programming error'), true],
  [new AppError('poll_closed'), false],
  [new AppError('invalid_input'), false],
  [new AppError('key_reused'), false],
])('the count of a call that fails with %s is undone: %s', async (error, isUndone) => {
  const { votes } = createLimits(db, { enabled: true });
  await useUp(votes, 7, { callsLeft: 1 });
  const attempt = await countAttempt([votes], 7);
  await expect(withAttempt(attempt, () => Promise.reject(error))).rejects.toBe(error);
  expect((await countAttempt([votes], 7)).refusal === null).toBe(isUndone);
});
