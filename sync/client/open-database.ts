import type { Dexie } from 'dexie';
import { withTimeLimit } from './time-limit.ts';
import type { Clock } from './types.ts';

/** An upgrade of a database waits for the tabs of an older version; a suspended one may never make way. */
const OPEN_LIMIT_MS = 5_000;

/** Opens a database; one that another tab keeps from being opened is closed, and a `TimeLimitError` thrown. */
export async function openInTime<Db extends Dexie>(db: Db, clock: Clock): Promise<Db> {
  try {
    await withTimeLimit(clock, OPEN_LIMIT_MS, db.open());
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens a database that this device has; null where it has none. For a reader that no person looks at: the tab that creates
 * the database once more has to notice that the browser has removed it. Throws as `openInTime` does.
 */
export async function openExisting<Db extends Dexie>(db: Db, clock: Clock): Promise<Db | null> {
  let isMissing = false;
  db.on('populate', () => {
    isMissing = true;
    throw new Error('This device has no such database');
  });
  try {
    return await openInTime(db, clock);
  } catch (error) {
    if (isMissing) return null;
    throw error;
  }
}
