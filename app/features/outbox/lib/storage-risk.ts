import { type BrowserFacts, isIosTab, readBrowserFacts } from '#app/lib/browser/ios-tab.ts';

/**
 * When the browser may remove waiting changes from this device.
 * - `none`: never, since the storage is persistent
 * - `low_space`: when the device runs out of space
 * - `seven_days`: after seven days without a visit, in a browser tab on iOS
 */
export type StorageRisk = 'none' | 'low_space' | 'seven_days';

export function storageRisk({ isPersisted, ...facts }: BrowserFacts & { isPersisted: boolean }): StorageRisk {
  if (isIosTab(facts)) return 'seven_days';
  return isPersisted ? 'none' : 'low_space';
}

export async function readStorageRisk(): Promise<StorageRisk> {
  const isPersisted = (await navigator.storage?.persisted?.()) ?? false;
  return storageRisk({ ...readBrowserFacts(), isPersisted });
}
