import { DATABASE_PREFIX, loggedInUserId, openDeviceDb } from '#sync/client/db.ts';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { openExisting } from '#sync/client/open-database.ts';

/** Reads from this device's database the id of the logged-in user; null if nobody is logged in. */
export async function readLoggedInUserId(): Promise<number | null> {
  const device = await openExisting(openDeviceDb(DATABASE_PREFIX), systemClock);
  if (device === null) return null;
  try {
    return await loggedInUserId(device);
  } finally {
    device.close();
  }
}
