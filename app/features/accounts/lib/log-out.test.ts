import { expect, test, vi } from 'vitest';
import { sessionState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { showToast, toastsAtom } from '#app/lib/toasts.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { logOut, requestLogout } from './log-out.ts';

const engineLogOut = vi.fn(async () => {});
const dropReceivedPhotos = vi.fn(async () => {});
vi.mock(import('#app/lib/engine/engine.ts'), async (load) => ({
  ...(await load()),
  loadEngine: async () => ({ logOut: engineLogOut }) as never,
}));
vi.mock('#sync/client/device/received-photos.ts', () => ({ dropReceivedPhotos: () => dropReceivedPhotos() }));

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

test('after a logout, the Undo of a deleted draft is no longer offered', async () => {
  showToast('success', 'Draft deleted', null, { topic: 'draft', action: { label: 'Undo', run: () => {} } });
  await logOut();
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Logged out' }]);
});

test.each([
  ['remains logged in', 'user', 'Logout failed', 0],
  ['is logged out', 'visitor', 'Logged out', 1],
] as const)(
  'after an error, the toast says that the user %s, as the session does',
  async (_state, status, title, dropCount) => {
    dropReceivedPhotos.mockClear();
    engineLogOut.mockRejectedValueOnce(new Error('The database was deleted'));
    vi.spyOn(sessionState, 'get').mockReturnValue({ status } as never);
    await logOut();
    expect(store.get(toastsAtom)).toMatchObject([{ title }]);
    expect(dropReceivedPhotos).toHaveBeenCalledTimes(dropCount);
  },
);
