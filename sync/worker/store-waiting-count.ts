import { COOKIE_MAX_AGE_S, formatWaitingCount, WAITING_COOKIE } from '#shared/http.ts';

/** The Cookie Store API, which browsers with background sync have: https://wicg.github.io/cookie-store/ */
type CookieStore = {
  set(cookie: { name: string; value: string; expires: number; sameSite: 'strict' }): Promise<void>;
};

/**
 * Stores the number of waiting changes in its cookie. Only the page sets the badge, because a service worker that sets it
 * crashes headless Chromium.
 */
export async function storeWaitingCount(userId: number, count: number): Promise<void> {
  const { cookieStore } = globalThis as { cookieStore?: CookieStore };
  const expires = Date.now() + COOKIE_MAX_AGE_S * 1000;
  const value = formatWaitingCount(userId, count);
  await cookieStore?.set({ name: WAITING_COOKIE, value, expires, sameSite: 'strict' }).catch(() => {});
}
