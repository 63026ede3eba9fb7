import { expect, test, vi } from 'vitest';
import { sessionState } from '#app/lib/engine/engine.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { refreshFeed } from './actions.ts';

const pullFeed = vi.fn(async () => 'updated');
vi.mock('#app/lib/engine/engine.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  loadEngine: async () => ({ pullFeed, pullTrending: async () => 'updated' }),
}));

test('after a session has ended while its feed was loading, the next login of the user can load it', async () => {
  const db = {};
  let needsLogin = false;
  vi.spyOn(sessionState, 'get').mockImplementation(() => ({ status: 'user', db, needsLogin }) as Session);
  pullFeed.mockImplementationOnce(async () => {
    needsLogin = true;
    return 'logged_out';
  });
  await refreshFeed();
  needsLogin = false;
  await refreshFeed();
  expect(pullFeed).toHaveBeenCalledTimes(2);
});
