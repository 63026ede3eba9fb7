import { expect, test, vi } from 'vitest';
import type { FakeClock } from '#sync/testing/fake-clock.ts';
import { json } from '#sync/testing/fake-transport.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { sessionHarness } from '#sync/testing/session-harness.ts';
import { settled } from '#sync/testing/settled.ts';
import { logOut } from './log-out.ts';
import { startSession } from './session.ts';

test('a logout ends even if a database call never settles', async () => {
  const tab = sessionHarness();
  await startSession(tab.context, sampleUser({ id: 7_000 }));
  tab.answer(json(204, null));
  vi.spyOn(tab.context.device.entries, 'put').mockReturnValue(new Promise(() => {}) as never);
  let hasEnded = false;
  // The logout may also end with an error.
  void Promise.allSettled([logOut(tab.context, 'keep')]).then(() => {
    hasEnded = true;
  });
  for (let minute = 0; minute < 3; minute += 1) {
    await settled();
    (tab.context.clock as FakeClock).advance(60_000);
  }
  await settled();
  expect(hasEnded).toBe(true);
});
