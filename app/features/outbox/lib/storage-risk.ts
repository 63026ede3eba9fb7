/**
 * How the browser may treat waiting changes on this device.
 * - `none`: the browser keeps it until it is sent
 * - `low_room`: the browser may remove it when the device runs out of room
 * - `seven_days`: Safari on iOS, outside the home screen, removes it after seven days without a visit
 */
export type StorageRisk = 'none' | 'low_room' | 'seven_days';

/** `isStandalone`: the app was opened from the home screen. */
type Facts = {
  userAgent: string;
  maxTouchPoints: number;
  isStandalone: boolean;
  isPersisted: boolean;
};

/** An iPad identifies itself as a Mac, but no Mac has a touch screen. */
export function storageRisk({ userAgent, maxTouchPoints, isStandalone, isPersisted }: Facts): StorageRisk {
  const isIos = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  if (isIos && !isStandalone) return 'seven_days';
  return isPersisted ? 'none' : 'low_room';
}

export async function readStorageRisk(): Promise<StorageRisk> {
  const { userAgent, maxTouchPoints } = navigator;
  const isStandalone = matchMedia('(display-mode: standalone)').matches;
  const isPersisted = (await navigator.storage?.persisted?.()) ?? false;
  return storageRisk({ userAgent, maxTouchPoints, isStandalone, isPersisted });
}
