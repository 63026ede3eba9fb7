import { Dexie } from 'dexie';
import { v4 as uuidv4 } from 'uuid';
import { logOut as logOutCall } from '#shared/accounts/contract.ts';
import type { User } from '#shared/accounts/schema.ts';
import { background } from '#sync/client/background.ts';
import { type DeviceDb, loggedInUserId, openUserDb, type UserDb } from '#sync/client/db.ts';
import { openExisting } from '#sync/client/open-database.ts';
import { discardWaiting, revokeLeases } from '#sync/client/outbox/discard.ts';
import { withDatabaseLimit } from '#sync/client/time-limit.ts';
import { clearCaches } from './server-change.ts';
import type { SessionContext } from './session-context.ts';

const LOGOUT_TIMEOUT_MS = 10_000;

/**
 * Logs out: deletes the cache with its images, keeps or discards waiting ops, and tells the server now or, if it cannot be
 * reached, before any other request.
 */
export async function logOut(
  context: SessionContext,
  waiting: 'keep' | 'discard',
  shown?: readonly string[],
): Promise<void> {
  const current = context.session.get();
  await leave(context, current.status === 'user' ? current : null, waiting, shown);
}

type OpenUser = { db: UserDb; user: User };

/** Logs `left` out, who need not be shown; null for nobody. */
export async function leave(
  context: SessionContext,
  left: OpenUser | null,
  waiting: 'keep' | 'discard',
  shown?: readonly string[],
): Promise<void> {
  const { clock, device, session, storage } = context;
  context.generation += 1;
  // From here on the log out takes place, even if the tab is closed: the next start does what is left of it.
  const stored = device.transaction('rw', device.entries, async () => {
    await device.entries.put({ key: 'signedOut', value: 1 });
    await device.entries.bulkDelete(['lastUserId', 'sessionEndedAt', 'homeSnapshot']);
    if (left === null) return;
    const { id } = left.user;
    await device.entries.put({
      key: `${logOutsOf(id)}${uuidv4()}`,
      value: id,
      logOut: { waiting, shown },
    });
  });
  await withDatabaseLimit(clock, stored);
  session.set({ status: 'visitor' });
  context.tabs.announce();
  // The log out does not wait for the browser's cache.
  background(storage.dropImages());
  try {
    if (left !== null) await emptyDatabase(context, left.db, left.user.id);
  } finally {
    left?.db.close();
    await tellServer(context);
  }
}

/**
 * Does what is left of log outs: empties the databases of their users, and tells the server. False when it could not be told.
 */
export async function finishLogOut(context: SessionContext): Promise<boolean> {
  const [isTold] = await Promise.all([tellServer(context), emptyLoggedOutDatabases(context)]);
  return isTold;
}

async function tellServer({ clock, transport, device }: SessionContext): Promise<boolean> {
  if ((await withDatabaseLimit(clock, device.entries.get('signedOut'))) === undefined) return true;
  try {
    const { status } = await transport({
      method: logOutCall.method,
      path: logOutCall.path,
      headers: { Accept: 'application/json' },
      body: null,
      timeoutMs: LOGOUT_TIMEOUT_MS,
    });
    if (status !== 204) return false;
  } catch {
    return false;
  }
  await withDatabaseLimit(clock, device.entries.delete('signedOut'));
  return true;
}

/** The keys of the log outs of a user begin with it. */
const logOutsOf = (userId: number): `logOut ${number} ` => `logOut ${userId} `;

/** The log outs, of all users or of one, after which a database has not been emptied yet. */
function unfinishedLogOuts(device: DeviceDb, userId?: number) {
  const prefix = userId === undefined ? 'logOut ' : logOutsOf(userId);
  return device.entries.where('key').startsWith(prefix).toArray();
}

/** What cannot be emptied now is left for the next check, and must be emptied before its user is back. */
async function emptyLoggedOutDatabases(context: SessionContext): Promise<void> {
  const logOuts = await withDatabaseLimit(context.clock, unfinishedLogOuts(context.device));
  const userIds = new Set(logOuts.map(({ value }) => value));
  await Promise.allSettled([...userIds].map((userId) => emptyLoggedOutDatabase(context, userId)));
}

/** Empties the database of a user whose log out was not finished. Throws `TimeLimitError` when another tab blocks it. */
export async function emptyLoggedOutDatabase(context: SessionContext, userId: number): Promise<void> {
  const { clock, databasePrefix, device, storage } = context;
  const logOuts = await withDatabaseLimit(clock, unfinishedLogOuts(device, userId));
  if (logOuts.length === 0) return;
  background(storage.dropImages());
  const db = await openExisting(openUserDb(databasePrefix, userId), clock);
  try {
    if (db !== null) await emptyDatabase(context, db, userId);
    else await device.entries.bulkDelete(logOuts.map(({ key }) => key));
  } finally {
    db?.close();
  }
}

/**
 * Deletes everything but ops and their images: waiting ops if they are to be kept, and refused ones in any case, since the
 * person has not decided about them. The database itself is not deleted: that would wait for every tab that has it open, and
 * lose what another tab stores at the same moment.
 */
async function emptyDatabase(
  { clock, device, deviceNote }: SessionContext,
  db: UserDb,
  userId: number,
): Promise<void> {
  const emptied = db.transaction('rw', db.tables, async () => {
    // Read while no other tab changes this database: one that has emptied it may have let the user in again.
    const logOuts = await Dexie.waitFor(Dexie.ignoreTransaction(() => unfinishedLogOuts(device, userId)));
    if (logOuts.length === 0) return null;
    await revokeLeases(db);
    for (const { logOut } of logOuts) {
      if (logOut?.waiting === 'discard') await discardWaiting(db, logOut.shown);
    }
    await db.acknowledged.clear();
    await clearCaches(db);
    // Identifies the account of the kept ops at the next login.
    const kept = await db.ops.count();
    if (kept === 0) await db.account.clear();
    return { kept, keys: logOuts.map(({ key }) => key) };
  });
  const done = await withDatabaseLimit(clock, emptied);
  if (done === null) return;
  await withDatabaseLimit(clock, device.entries.bulkDelete(done.keys));
  // The note is about whoever is logged in, and else about who was last.
  if ((await loggedInUserId(device)) === null) deviceNote.noteWaiting(userId, done.kept);
}

/** Deletes what the former user of this device has seen, after a session that has ended without a log out. */
export async function forgetUser({ clock }: Pick<SessionContext, 'clock'>, db: UserDb): Promise<void> {
  const forgotten = db.transaction('rw', db.tables, async () => {
    await db.acknowledged.clear();
    await clearCaches(db);
  });
  await withDatabaseLimit(clock, forgotten).catch(() => {});
}
