import { type BrowserFacts, isIosTab, readBrowserFacts } from '#app/lib/browser/ios-tab.ts';

/**
 * How the browser may treat waiting changes on this device.
 * - `none`: the browser keeps it until it is sent
 * - `low_room`: the browser may remove it when the device runs out of room
 * - `seven_days`: Safari on iOS, outside the home screen, removes it after seven days without a visit
 */
export type StorageRisk = 'none' | 'low_room' | 'seven_days';

export function storageRisk({ isPersisted, ...facts }: BrowserFacts & { isPersisted: boolean }): StorageRisk {
  if (isIosTab(facts)) return 'seven_days';
  return isPersisted ? 'none' : 'low_room';
}

export async function readStorageRisk(): Promise<StorageRisk> {
  const isPersisted = (await navigator.storage?.persisted?.()) ?? false;
  return storageRisk({ ...readBrowserFacts(), isPersisted });
}
