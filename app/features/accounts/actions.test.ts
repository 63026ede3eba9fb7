import { beforeEach, expect, test, vi } from 'vitest';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import type { User } from '#shared/accounts/schema.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { finishWithPasskey, saveAccount } from './actions.ts';

// As if the chunk with this module could not be loaded.
vi.mock('./lib/passkeys.ts', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

const user = sampleUser();

beforeEach(() => {
  vi.useFakeTimers();
  store.set(toastsAtom, []);
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

/** Saves an email, to which the server responds with `saved`, and returns the toast. */
async function toastAfterSaving(email: string, saved: User) {
  vi.stubGlobal('fetch', async () => Response.json(saved));
  await saveAccount(user.id, { email });
  return store.get(toastsAtom)[0];
}

test('saving a new email says that a link was sent to it', async () => {
  const pendingEmail = 'new@example.org';
  expect(await toastAfterSaving(pendingEmail, { ...user, pendingEmail })).toMatchObject({
    title: 'Changes saved',
    text: 'We sent a verification link to new@example.org.',
  });
});

test('saving the current email, which withdraws a change, does not say that a link was sent', async () => {
  expect(await toastAfterSaving(user.email, user)).toMatchObject({ title: 'Changes saved', text: null });
});

test('a login with a passkey shows a toast if the chunk for passkeys cannot be loaded', async () => {
  await expect(finishWithPasskey('ticket')).rejects.toThrow();
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Login failed' }]);
});
