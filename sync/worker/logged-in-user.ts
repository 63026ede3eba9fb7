import { DATABASE_PREFIX, loggedInUserId, openDeviceDb } from '#sync/client/db.ts';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { openExisting } from '#sync/client/open-database.ts';

/** The user who is logged in on this device, as far as it knows; null for nobody. */
export async function loggedInUser(): Promise<number | null> {
  const device = await openExisting(openDeviceDb(DATABASE_PREFIX), systemClock);
  if (device === null) return null;
  try {
    return await loggedInUserId(device);
  } finally {
    device.close();
  }
}
