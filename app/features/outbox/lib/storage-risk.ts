import { type BrowserFacts, isIosTab, readBrowserFacts } from '#app/lib/browser/ios-tab.ts';

/**
 * When the browser may remove waiting changes from this device.
 * - `none`: never, since the storage is persistent
 * - `low_space`: when the device runs out of space
 * - `seven_days`: after seven days without a visit, in a tab on iOS or of Safari on a Mac; see
 *   https://webkit.org/blog/10218/full-third-party-cookie-blocking-and-more/
 */
export type StorageRisk = 'none' | 'low_space' | 'seven_days';

/** Other browsers name Safari as well, but not its version. */
function isSafariOnMac(userAgent: string): boolean {
  return /\(Macintosh;.*\) Version\/[\d.]+ Safari\//.test(userAgent);
}

export function storageRisk({ isPersisted, ...facts }: BrowserFacts & { isPersisted: boolean }): StorageRisk {
  const isTabOnMac = isSafariOnMac(facts.userAgent) && !facts.isStandalone;
  if (isIosTab(facts) || isTabOnMac) return 'seven_days';
  return isPersisted ? 'none' : 'low_space';
}

export async function readStorageRisk(): Promise<StorageRisk> {
  const isPersisted = (await navigator.storage?.persisted?.()) ?? false;
  return storageRisk({ ...readBrowserFacts(), isPersisted });
}
