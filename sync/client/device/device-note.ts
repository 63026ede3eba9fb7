import {
  COOKIE_MAX_AGE_S,
  DEVICE_COOKIE,
  formatOutboxCount,
  LOGGED_IN_COOKIE,
  parseOutboxCount,
  WAITING_COOKIE,
  WAITING_COPY_COOKIE,
} from '#shared/http.ts';
import type { DeviceNote } from '#sync/client/capabilities.ts';

/** The cookie that stores an eviction: `<user id>.<lost changes>` (without the number if unknown), or `unclear`. */
const EVICTED_COOKIE = 'evicted';

/** Reads a cookie. To read several, pass `document.cookie` as `cookies`: the browser takes a while to return it. */
function readCookie(name: string, cookies = document.cookie): string | undefined {
  const prefix = `${name}=`;
  const cookie = cookies.split('; ').find((text) => text.startsWith(prefix));
  return cookie?.slice(prefix.length);
}

/** Uses `document.cookie`, because not every browser has the Cookie Store API. */
function writeCookie(name: string, value: string, maxAgeS: number): void {
  const secure = location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `${name}=${value}; path=/; max-age=${maxAgeS}; samesite=strict${secure}`;
}

/**
 * Deletes the server's copy of the waiting cookie if it differs from the cookie itself: the copy is older, even if the response
 * that set it arrived later.
 */
export function deleteStaleCopy(): void {
  const { cookie } = document;
  const own = readCookie(WAITING_COOKIE, cookie);
  const copy = readCookie(WAITING_COPY_COOKIE, cookie);
  if (own !== undefined && copy !== undefined && own !== copy) writeCookie(WAITING_COPY_COOKIE, '', 0);
}

/** The device note in cookies, which survive when a browser evicts the storage of an app. */
export const cookieDeviceNote: DeviceNote = {
  hasBeenUsed: () => readCookie(DEVICE_COOKIE) !== undefined,
  mayHaveSession: () => [LOGGED_IN_COOKIE, DEVICE_COOKIE].some((name) => readCookie(name) !== undefined),
  readWaiting: () => parseOutboxCount(readCookie(WAITING_COOKIE) ?? readCookie(WAITING_COPY_COOKIE) ?? ''),
  noteWaiting(userId, count) {
    writeCookie(WAITING_COOKIE, formatOutboxCount(userId, count), COOKIE_MAX_AGE_S);
    deleteStaleCopy();
  },
  readEviction() {
    const text = readCookie(EVICTED_COOKIE);
    if (text === undefined || text === 'unclear') return text ?? null;
    const [userId, lostChanges] = text.split('.');
    return { userId: Number(userId), lostChanges: lostChanges ? Number(lostChanges) : null };
  },
  noteEviction(eviction) {
    if (eviction === null) return writeCookie(EVICTED_COOKIE, '', 0);
    const value = eviction === 'unclear' ? eviction : `${eviction.userId}.${eviction.lostChanges ?? ''}`;
    writeCookie(EVICTED_COOKIE, value, COOKIE_MAX_AGE_S);
  },
};
