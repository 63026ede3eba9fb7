import type { Dexie } from 'dexie';
import type { Clock } from './capabilities.ts';
import { withTimeout } from './timeout.ts';

/**
 * How long opening may take. A schema upgrade waits for tabs of an older version, and a suspended tab may never close its
 * connection.
 */
const OPEN_TIMEOUT_MS = 5_000;

/** Opens a database. If another tab blocks it, closes it and throws `BrowserTimeoutError`. */
export async function openWithTimeout<Db extends Dexie>(db: Db, clock: Clock): Promise<Db> {
  try {
    await withTimeout(clock, OPEN_TIMEOUT_MS, db.open());
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens an existing database; null if there is none. Used where a missing database must not be created, because only a tab that
 * creates it itself notices that the browser has evicted it. Throws like `openWithTimeout`.
 */
export async function openExisting<Db extends Dexie>(db: Db, clock: Clock): Promise<Db | null> {
  let isMissing = false;
  db.on('populate', () => {
    isMissing = true;
    throw new Error('This device has no such database');
  });
  try {
    return await openWithTimeout(db, clock);
  } catch (error) {
    if (isMissing) return null;
    throw error;
  }
}
