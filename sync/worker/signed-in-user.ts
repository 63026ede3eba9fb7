import { DATABASE_PREFIX, openDeviceDb, signedInUserId } from '#sync/client/db.ts';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { openExisting } from '#sync/client/open-database.ts';

/** The user who is logged in on this device, as far as it knows; null for nobody. */
export async function signedInUser(): Promise<number | null> {
  const device = await openExisting(openDeviceDb(DATABASE_PREFIX), systemClock);
  if (device === null) return null;
  try {
    return await signedInUserId(device);
  } finally {
    device.close();
  }
}
