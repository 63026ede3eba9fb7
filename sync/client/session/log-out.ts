import { Dexie } from 'dexie';
import { v4 as uuidv4 } from 'uuid';
import { logOut as logOutCall } from '#shared/accounts/contract.ts';
import { isQuotaError, StorageFullError, withFreedSpace } from '#sync/client/cache/storage.ts';
import { type DeviceDb, type DeviceEntry, loggedInUserId, openUserDb, type UserDb } from '#sync/client/db.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import { openExisting } from '#sync/client/open-database.ts';
import { discardWaiting, revokeLeases } from '#sync/client/outbox/discard.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';
import { withDatabaseTimeout } from '#sync/client/timeout.ts';
import { clearCaches } from './server-change.ts';
import type { SessionContext, UserSession } from './session-context.ts';

const LOGOUT_TIMEOUT_MS = 10_000;

/**
 * Logs out: deletes the cache and cached images, keeps or discards waiting ops, and notifies the server at once or, if it
 * cannot be reached, later, before any other request. Resolves with whether the server was notified.
 */
export async function logOut(
  context: SessionContext,
  waiting: 'keep' | 'discard',
  shown?: readonly string[],
): Promise<boolean> {
  const current = context.session.get();
  return logOutUser(context, current.status === 'user' ? current : null, waiting, shown);
}

/**
 * Logs a user out who may not be the user of this tab's session. `openUser` is null if no database has to be emptied. Throws
 * `StorageFullError`, and logs nobody out, if the device is full and the server cannot be reached.
 */
export async function logOutUser(
  context: SessionContext,
  openUser: Pick<UserSession, 'user' | 'db'> | null,
  waiting: 'keep' | 'discard',
  shown?: readonly string[],
): Promise<boolean> {
  const { clock, device, session, storage } = context;
  context.generation += 1;
  const unfinished = openUser === null ? [] : [newLogout(openUser.user.id, waiting, shown)];
  const removeUser = () => device.entries.bulkDelete(['lastUserId', 'sessionEndedAt', 'homeSnapshot']);
  // Once this is stored, the logout takes place even if the tab is closed, because the next start completes it.
  const store = () =>
    device.transaction('rw', device.entries, async () => {
      // Differs for each logout, so that a late response to an earlier one does not delete the entry (see `sendLogout`).
      await device.entries.put({ key: 'signedOut', value: Math.random() });
      await removeUser();
      await device.entries.bulkPut(unfinished);
    });
  try {
    const storing = openUser === null ? store() : withFreedSpace(storage, openUser.db, store);
    await withDatabaseTimeout(clock, storing);
  } catch (error) {
    if (!isQuotaError(error)) throw error;
    // Without the entries no later start completes this logout: the server has to be notified before anything else.
    if (!(await requestLogout(context)))
      throw new StorageFullError('No space to store the logout', { cause: error });
    // The response to a session check that was sent before may say that the user is logged in.
    context.generation += 1;
    await withDatabaseTimeout(clock, device.entries.delete('homeSnapshot'));
    // Before `lastUserId` is deleted: if this fails, the next start finds a session that has ended, and after 30 days deletes
    // the data.
    if (openUser !== null) await emptyDatabase(context, openUser.db, openUser.user.id, unfinished);
    await withDatabaseTimeout(clock, removeUser());
  }
  session.set({ status: 'visitor' });
  context.tabs.announce();
  // The logout does not wait for the browser to delete images.
  runInBackground(storage.dropImages());
  let isNotified = false;
  try {
    if (openUser !== null) await emptyDatabase(context, openUser.db, openUser.user.id);
  } finally {
    openUser?.db.close();
    isNotified = await notifyServer(context);
  }
  return isNotified;
}

/** Longer than a login waits for its response. */
const LOGIN_TIMEOUT_MS = 20_000;

/** Completes unfinished logouts: empties databases and notifies the server. Resolves with whether the server was notified. */
export async function finishLogout(context: SessionContext): Promise<boolean> {
  const [isNotified] = await Promise.all([notifyServer(context), emptyLoggedOutDatabases(context)]);
  return isNotified;
}

/**
 * Completes unfinished logouts before a login. If the server could not be notified, checks do not send the logout again while
 * the login may be under way: the response would delete the login's cookie. A login that succeeds cancels the logout.
 */
export async function finishLogoutBeforeLogin(context: SessionContext): Promise<boolean> {
  const protectLogin = () => {
    context.loginUntilMs = context.clock.now() + LOGIN_TIMEOUT_MS;
  };
  context.loginUntilMs = 0;
  const notifying = notifyServer(context).then((isNotified) => {
    if (!isNotified) protectLogin();
    return isNotified;
  });
  const [isNotified] = await Promise.all([notifying, emptyLoggedOutDatabases(context)]);
  // Emptying may have taken longer.
  if (!isNotified) protectLogin();
  return isNotified;
}

/** How many milliseconds a pending logout has to wait for a login; 0 if it may be sent. */
export function remainingLoginMs({ clock, loginUntilMs }: SessionContext): number {
  return hasPassed(loginUntilMs, clock.now(), LOGIN_TIMEOUT_MS) ? 0 : loginUntilMs - clock.now();
}

/**
 * Sends the pending logout, if any. Resolves with false if that failed. Concurrent calls share one request: the response to a
 * second one could arrive after the next login, and would delete its cookie.
 */
function notifyServer(context: SessionContext): Promise<boolean> {
  context.notifying ??= sendLogout(context).finally(() => {
    context.notifying = null;
  });
  return context.notifying;
}

async function sendLogout(context: SessionContext): Promise<boolean> {
  const { clock, device } = context;
  const pending = await withDatabaseTimeout(clock, device.entries.get('signedOut'));
  if (pending === undefined) return true;
  if (remainingLoginMs(context) > 0) return false;
  if (!(await requestLogout(context))) return false;
  const removing = device.transaction('rw', device.entries, async () => {
    const current = await device.entries.get('signedOut');
    if (current?.value === pending.value) await device.entries.delete('signedOut');
    return current === undefined || current.value === pending.value;
  });
  // There may have been another login and logout meanwhile.
  return (await withDatabaseTimeout(clock, removing)) || sendLogout(context);
}

/** Logs out on the server. Resolves with false if that failed. */
async function requestLogout({ transport }: SessionContext): Promise<boolean> {
  try {
    const { status } = await transport({
      method: logOutCall.method,
      path: logOutCall.path,
      headers: { Accept: 'application/json' },
      body: null,
      timeoutMs: LOGOUT_TIMEOUT_MS,
    });
    return status === 204;
  } catch {
    return false;
  }
}

/** The prefix of the keys of a user's logouts in the device's database. */
const logOutKeyPrefix = (userId: number): `logOut ${number} ` => `logOut ${userId} `;

/** The entry of a logout after which the database of the user has to be emptied. */
export function newLogout(
  userId: number,
  waiting: 'keep' | 'discard',
  shown?: readonly string[],
): DeviceEntry {
  return { key: `${logOutKeyPrefix(userId)}${uuidv4()}`, value: userId, logOut: { waiting, shown } };
}

/** Reads the logouts of all users or of one user after which the database has not been emptied yet. */
function unfinishedLogouts(device: DeviceDb, userId?: number) {
  const prefix = userId === undefined ? 'logOut ' : logOutKeyPrefix(userId);
  return device.entries.where('key').startsWith(prefix).toArray();
}

/** Empties the databases of unfinished logouts. If that fails, the next check or the next login of the user tries again. */
async function emptyLoggedOutDatabases(context: SessionContext): Promise<void> {
  const logouts = await withDatabaseTimeout(context.clock, unfinishedLogouts(context.device));
  const userIds = new Set(logouts.map(({ value }) => value));
  await Promise.allSettled([...userIds].map((userId) => emptyLoggedOutDatabase(context, userId)));
}

/**
 * Empties the database of a user whose logout was not finished. Throws `BrowserTimeoutError` if another tab blocks the
 * database.
 */
export async function emptyLoggedOutDatabase(context: SessionContext, userId: number): Promise<void> {
  const { clock, databasePrefix, device, storage } = context;
  const logouts = await withDatabaseTimeout(clock, unfinishedLogouts(device, userId));
  if (logouts.length === 0) return;
  runInBackground(storage.dropImages());
  const db = await openExisting(openUserDb(databasePrefix, userId), clock);
  try {
    if (db !== null) await emptyDatabase(context, db, userId);
    else await device.entries.bulkDelete(logouts.map(({ key }) => key));
  } finally {
    db?.close();
  }
}

/**
 * Deletes everything except ops and their images. Refused ops are always kept, since the user has not decided about them;
 * waiting ops are kept unless the user chose to discard them. The database itself is not deleted, because that would wait for
 * every tab that has it open, and would lose ops that another tab stores at the same time. `unstored`: a logout for which the
 * device has no space.
 */
async function emptyDatabase(
  { clock, device, deviceNote }: SessionContext,
  db: UserDb,
  userId: number,
  unstored: readonly DeviceEntry[] = [],
): Promise<void> {
  const emptying = db.transaction('rw', db.tables, async () => {
    // Read inside of the transaction: another tab may have emptied this database and logged the user in again.
    const stored = await Dexie.waitFor(Dexie.ignoreTransaction(() => unfinishedLogouts(device, userId)));
    const logouts = [...stored, ...unstored];
    if (logouts.length === 0) return null;
    // A full device cannot store that an op is no longer leased; its lease expires.
    if (unstored.length === 0) await revokeLeases(db);
    for (const { logOut } of logouts) {
      if (logOut?.waiting === 'discard') await discardWaiting(db, logOut.shown);
    }
    await db.acknowledged.clear();
    await clearCaches(db);
    // `account` identifies the account of kept ops at the next login.
    const keptCount = await db.ops.count();
    if (keptCount === 0) await db.account.clear();
    return { keptCount, keys: logouts.map(({ key }) => key) };
  });
  const result = await withDatabaseTimeout(clock, emptying);
  if (result === null) return;
  await withDatabaseTimeout(clock, device.entries.bulkDelete(result.keys));
  // The device note counts the changes of the logged-in user or, if nobody is logged in, of the last user.
  const isLoggedOut = unstored.length > 0 || (await loggedInUserId(device)) === null;
  if (isLoggedOut) deviceNote.noteWaiting(userId, result.keptCount);
}

/** Deletes the cache and the acknowledged ops of a user who is no longer logged in. Ops are kept. A failure is ignored. */
export async function forgetUser({ clock }: Pick<SessionContext, 'clock'>, db: UserDb): Promise<void> {
  const clearing = db.transaction('rw', db.tables, async () => {
    await db.acknowledged.clear();
    await clearCaches(db);
  });
  await withDatabaseTimeout(clock, clearing).catch(() => {});
}
