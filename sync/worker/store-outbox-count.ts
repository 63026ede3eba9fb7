import { COOKIE_MAX_AGE_S, formatOutboxCount, WAITING_COOKIE } from '#shared/http.ts';

/** The Cookie Store API, which browsers with background sync have: https://wicg.github.io/cookie-store/ */
type CookieStore = {
  set(cookie: { name: string; value: string; expires: number; sameSite: 'strict' }): Promise<void>;
};

/**
 * Stores the number of changes in the outbox in `WAITING_COOKIE`, like a page (`trackWaitingChanges`), but does not set the
 * app's badge: a service worker that sets it crashes headless Chromium.
 */
export async function storeOutboxCount(userId: number, count: number): Promise<void> {
  const { cookieStore } = globalThis as { cookieStore?: CookieStore };
  const expires = Date.now() + COOKIE_MAX_AGE_S * 1000;
  const value = formatOutboxCount(userId, count);
  await cookieStore?.set({ name: WAITING_COOKIE, value, expires, sameSite: 'strict' }).catch(() => {});
}
