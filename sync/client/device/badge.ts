/** The Badging API, which not every browser has: https://www.w3.org/TR/badging/ */
type Badging = { setAppBadge?(count: number): Promise<void>; clearAppBadge?(): Promise<void> };

/** Shows a number on the app's icon, and no badge for 0. Does nothing if the browser does not support or allow badges. */
export async function showBadge(count: number): Promise<void> {
  const badging = navigator as Badging;
  try {
    if (count > 0) await badging.setAppBadge?.(count);
    else await badging.clearAppBadge?.();
  } catch {
    // Some browsers allow badges only for an installed app.
  }
}
