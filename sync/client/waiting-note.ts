/** The cookie that tells how many changes wait, and whose. */
export const WAITING_COOKIE = 'waiting';
export const WAITING_COOKIE_KEPT_S = 400 * 86_400;

/** What the cookie holds. */
export function waitingText(userId: number, count: number): string {
  return `${userId}.${count}`;
}

/** Reads what the cookie holds; null for anything else. */
export function parseWaiting(text: string): { userId: number; count: number } | null {
  const [, userId, count] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  return userId === undefined || count === undefined
    ? null
    : { userId: Number(userId), count: Number(count) };
}

/** The Badging API, which not every browser has: https://www.w3.org/TR/badging/ */
type Badging = { setAppBadge?(count: number): Promise<void>; clearAppBadge?(): Promise<void> };

/** Shows a number on the app's icon, or none for 0. A browser that cannot, or may not, does nothing. */
export async function showBadge(count: number): Promise<void> {
  const badging = navigator as Badging;
  try {
    if (count > 0) await badging.setAppBadge?.(count);
    else await badging.clearAppBadge?.();
  } catch {
    // Some browsers let only an installed app do this.
  }
}
