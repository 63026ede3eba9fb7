import { expect, test, vi } from 'vitest';
import { sessionState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { requestLogout } from './log-out.ts';

test('a logout for which the outbox cannot be read shows a toast', async () => {
  // Without a database, `readOutbox` throws.
  vi.spyOn(sessionState, 'get').mockReturnValueOnce({
    status: 'user',
    user: sampleUser(),
    db: null,
  } as never);
  await requestLogout();
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Logout failed' }]);
});
