import { beforeEach, expect, test, vi } from 'vitest';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import type { User } from '#shared/accounts/schema.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { finishWithPasskey, saveAccount, signUp } from './actions.ts';

// As if the chunk with this module could not be loaded.
vi.mock('./lib/passkeys.ts', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

const setUser = vi.fn(async () => {});
vi.mock(import('#app/lib/engine/engine.ts'), async (load) => ({
  ...(await load()),
  loadEngine: async () => ({ finishLogout: async () => {}, setUser }) as never,
}));

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

const MAY_BE_REGISTERED = 'Your account may already have been created. Try to log in.';
const SIGN_UP = { username: 'nina.k', email: 'nina@example.org', password: 'tall lamp, cold river' };

/** Signs up as `SIGN_UP` with `changes`, to which the server responds with `response`; returns the text of the toast. */
async function toastAfterSignUp(response: () => Response, changes: Partial<typeof SIGN_UP> = {}) {
  vi.stubGlobal('fetch', async () => response());
  await signUp({ ...SIGN_UP, ...changes }).catch(() => undefined);
  return store.get(toastsAtom)[0]?.text;
}

const refuse = () =>
  Response.json(
    { code: 'taken', message: 'That username or email is already taken.', requestId: 'r1' },
    { status: 409 },
  );

test('a sign-up that is repeated after a lost response says that the account may exist', async () => {
  const username = 'nina.b';
  const email = 'nina.b@example.org';
  expect(await toastAfterSignUp(refuse)).toBe('That username or email is already taken.');
  await toastAfterSignUp(() => new Response('', { status: 502 }));
  expect(await toastAfterSignUp(refuse, { username })).toBe(MAY_BE_REGISTERED);
  expect(await toastAfterSignUp(refuse, { email })).toBe(MAY_BE_REGISTERED);
  // Somebody else's account.
  expect(await toastAfterSignUp(refuse, { username, email })).toBe(
    'That username or email is already taken.',
  );
  expect(await toastAfterSignUp(() => Response.json(user, { status: 201 }))).toContain('Welcome');
  expect(await toastAfterSignUp(refuse)).toBe('That username or email is already taken.');
});

test('a sign-up that is repeated after a failure of the storage says that the account may exist', async () => {
  setUser.mockRejectedValueOnce(new Error('no storage'));
  await toastAfterSignUp(() => Response.json(user, { status: 201 }));
  expect(await toastAfterSignUp(refuse)).toBe(MAY_BE_REGISTERED);
});
