import { beforeEach, expect, test, vi } from 'vitest';
import { engineState, sessionState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { showToast, toastsAtom } from '#app/lib/toasts.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { logOut, requestLogout } from './log-out.ts';

const session = observable<Session>({ status: 'loading' });
const engineLogOut = vi.fn(async () => {});
const dropReceivedPhotos = vi.fn(async () => {});
vi.mock(import('#app/lib/engine/engine.ts'), async (load) => ({
  ...(await load()),
  loadEngine: async () => ({ logOut: engineLogOut }) as never,
}));
// Async, because a promise that `vi.fn` itself returns never counts as an unhandled rejection.
vi.mock('#sync/client/device/received-photos.ts', () => ({
  dropReceivedPhotos: async () => dropReceivedPhotos(),
}));
const logWarning = vi.fn();
vi.mock('#app/lib/log.ts', () => ({ logWarning: (...args: unknown[]) => logWarning(...args) }));

beforeEach(() => {
  engineState.set({ session } as never);
  session.set({ status: 'user' } as Session);
  dropReceivedPhotos.mockClear();
});

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

test('received photos are deleted without waiting for the server', async () => {
  const { promise: hasResponse, resolve: respond } = Promise.withResolvers<void>();
  engineLogOut.mockImplementationOnce(async () => {
    session.set({ status: 'visitor' });
    await hasResponse;
  });
  const loggingOut = logOut();
  await vi.waitFor(() => expect(dropReceivedPhotos).toHaveBeenCalledOnce());
  respond();
  await loggingOut;
});

test('received photos that cannot be deleted do not disturb the logout', async () => {
  const error = new DOMException('The cache is damaged', 'UnknownError');
  dropReceivedPhotos.mockRejectedValueOnce(error);
  engineLogOut.mockImplementationOnce(async () => session.set({ status: 'visitor' }));
  await logOut();
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Logged out' }]);
  const message = 'The received photos could not be deleted:';
  await vi.waitFor(() => expect(logWarning).toHaveBeenCalledExactlyOnceWith(message, error));
});

test.each([
  ['remains logged in', 'user', 'Logout failed', 0],
  ['is logged out', 'visitor', 'Logged out', 1],
] as const)(
  'after an error, the toast says that the user %s, as the session does',
  async (_state, status, title, dropCount) => {
    engineLogOut.mockImplementationOnce(async () => {
      session.set({ status } as Session);
      throw new Error('The database was deleted');
    });
    await logOut();
    expect(store.get(toastsAtom)).toMatchObject([{ title }]);
    expect(dropReceivedPhotos).toHaveBeenCalledTimes(dropCount);
  },
);
