import { DEVICE_COOKIE } from '#shared/http.ts';
import type { DeviceNote } from './types.ts';
import {
  parseWaiting,
  showBadge,
  WAITING_COOKIE,
  WAITING_COOKIE_KEPT_S,
  waitingText,
} from './waiting-note.ts';

function readCookie(name: string): string | undefined {
  const prefix = `${name}=`;
  const cookie = document.cookie.split('; ').find((text) => text.startsWith(prefix));
  return cookie?.slice(prefix.length);
}

/** Notes in cookies: a browser that clears the storage of an app by itself leaves them. */
export const cookieNote: DeviceNote = {
  hasBeenUsed: () => readCookie(DEVICE_COOKIE) !== undefined,
  readWaiting: () => parseWaiting(readCookie(WAITING_COOKIE) ?? ''),
};

/** Notes in a page how many changes of a user wait to be sent, and shows it on the app's icon. */
export function noteWaiting(userId: number, count: number): void {
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${WAITING_COOKIE}=${waitingText(userId, count)}; path=/; max-age=${WAITING_COOKIE_KEPT_S}; samesite=strict${secure}`;
  void showBadge(count);
}
