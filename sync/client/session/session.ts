import type { User } from '#shared/accounts/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import { fetchUser } from '#sync/client/cache/pull.ts';
import { withFreedSpace } from '#sync/client/cache/storage.ts';
import { type DeviceDb, loggedInUserId, openUserDb, type UserDb } from '#sync/client/db.ts';
import { openWithTimeout } from '#sync/client/open-database.ts';
import { moveOps, resetOpBackoff } from '#sync/client/outbox/outbox.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';
import {
  emptyLoggedOutDatabase,
  finishLogout,
  forgetUser,
  logOut,
  logOutUser,
  newLogout,
} from './log-out.ts';
import { adoptUser } from './server-change.ts';
import type { Session, SessionContext } from './session-context.ts';

/** How long after the end of a session the user is logged out on this device. */
const LOGGED_OUT_AFTER_MS = 30 * DAY_MS;

/**
 * Opens the database of a user. If a tab of an earlier version deletes the database to log out, this tab logs out, too. Throws
 * `BrowserTimeoutError` if another tab blocks the database.
 */
async function openDatabase(context: SessionContext, userId: number): Promise<UserDb> {
  const { clock, databasePrefix, session } = context;
  const db = openUserDb(databasePrefix, userId);
  db.on('versionchange', ({ newVersion }) => {
    if (newVersion === null) runInBackground(followOtherTab(context));
  });
  db.on('populate', (transaction) => {
    const current = session.get();
    if (current.status !== 'user' || current.db !== db) return;
    // The database was evicted and is recreated while in use. The user is stored again, so that later changes are shown.
    runInBackground(Promise.resolve(transaction.table('user').add(current.user)));
    context.onEvicted(userId);
    // Only a visible tab, which may be another one, reports the eviction.
    context.tabs.announce();
  });
  await openWithTimeout(db, clock);
  return db;
}

/** Shows the cache of the last user, if there is one. */
export async function openLastUser(context: SessionContext): Promise<void> {
  const { device, generation, session } = context;
  const userId = await loggedInUserId(device);
  if (userId === null) return;
  await emptyLoggedOutDatabase(context, userId);
  const db = await openDatabase(context, userId);
  try {
    const user = await db.user.get(userId);
    const isLongAgo = await hasEndedLongAgo(context);
    // A login or logout in the meantime takes precedence.
    if (user === undefined || context.generation !== generation) return db.close();
    if (isLongAgo) await logOutUser(context, { user, db }, 'keep');
    else session.set({ status: 'user', user, db, needsLogin: false });
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Completes a pending logout, asks the server who is logged in, and applies the response. Resolves with false if the server
 * could not be reached: the user who is shown stays, except after a pending logout. Otherwise resolves with true, also if a later
 * login or logout took precedence, or if no request was needed because nobody has ever logged in with this browser.
 */
export async function checkUser(context: SessionContext): Promise<boolean> {
  const { device, deviceNote, generation, session } = context;
  const isNotified = await finishLogout(context);
  if (context.generation !== generation) return true;
  if (!isNotified) {
    session.set({ status: 'visitor' });
    return false;
  }
  if (session.get().status !== 'user' && !deviceNote.mayHaveSession()) {
    const last = await device.entries.get('lastUserId');
    if (context.generation !== generation) return true;
    if (last === undefined) {
      session.set({ status: 'visitor' });
      return true;
    }
  }
  const user = await fetchUser(context.transport);
  if (context.generation !== generation) return true;
  const current = session.get();
  if (user === 'unreachable') {
    if (current.status === 'loading') session.set({ status: 'visitor' });
    return false;
  }
  // A tab that stores a user also writes this entry, so without it none has done so since the device's data was cleared.
  const isDeviceEmpty = current.status !== 'user' && (await device.entries.get('lastUserId')) === undefined;
  if (context.generation !== generation) return true;
  if (context.takeCleared() && isDeviceEmpty) context.onEvicted(user?.id ?? null);
  if (user !== null) await openUser(context, user);
  else if (current.status === 'user') await endSession(context);
  else session.set({ status: 'visitor' });
  return true;
}

/**
 * Checks the session after a response that says it is not valid. It may still be valid, because after a restore the server rejects
 * requests with the former epoch. Without a response to the check, the session counts as ended.
 */
export async function checkUserOrEnd(context: SessionContext): Promise<boolean> {
  const isChecked = await checkUser(context);
  if (!isChecked) await endSession(context);
  return isChecked;
}

/** Makes `user` the logged-in user, after a login, a sign-up or a change of the account. */
export async function startSession(context: SessionContext, user: User): Promise<void> {
  context.generation += 1;
  const { generation } = context;
  await context.device.entries.delete('signedOut');
  // Only now, because a check that has read this entry before must not send the logout either.
  context.loginUntilMs = 0;
  // A later login or logout takes precedence.
  if (context.generation !== generation) return;
  // Must happen before the new user overwrites the stored number of waiting changes, which `onEvicted` reports as lost.
  if (context.takeCleared()) context.onEvicted(user.id);
  await openUser(context, user);
  // Another tab of this user may be waiting for the login.
  context.tabs.announce();
}

/** Makes `user` the user of the session: opens their database, stores them in it, and unblocks their waiting ops. */
async function openUser(context: SessionContext, user: User): Promise<void> {
  const { clock, device, generation, session } = context;
  await emptyLoggedOutDatabase(context, user.id);
  const current = session.get();
  const currentDb = current.status === 'user' && current.user.id === user.id ? current.db : null;
  // A database that was closed because it was deleted, or that failed to open, cannot be used again.
  const keepsDb = currentDb !== null && !currentDb.hasBeenClosed() && !currentDb.hasFailed();
  const db = keepsDb ? currentDb : await openDatabase(context, user.id);
  let before: Awaited<ReturnType<typeof rememberUser>>;
  try {
    const isOtherServer = await withFreedSpace(context.storage, db, () => adoptUser(db, user, clock.now()));
    if (isOtherServer) await device.entries.delete('homeSnapshot');
    await withFreedSpace(context.storage, db, async () => {
      await moveOps(db, 'blocked_auth', 'queued');
      await resetOpBackoff(db);
    });
    // A later login or logout has written its own entry.
    before =
      context.generation === generation
        ? await withFreedSpace(context.storage, db, () => rememberUser(device, user.id))
        : 'logged_out';
  } catch (error) {
    // The next check opens the database again.
    if (!keepsDb) db.close();
    throw error;
  }
  if (context.generation !== generation) {
    if (!keepsDb) db.close();
    return;
  }
  if (before === 'logged_out') {
    // Another tab has logged out: the stored user and the cache are deleted again.
    await forgetUser(context, db);
    db.close();
    if (current.status === 'user') current.db.close();
    session.set({ status: 'visitor' });
    return;
  }
  // The response to an earlier session check must not end the session again.
  const shown = session.get();
  if (shown.status === 'user' && shown.needsLogin) context.generation += 1;
  session.set({ status: 'user', user, db, needsLogin: false });
  if (!keepsDb) {
    context.tabs.announce();
    if (current.status === 'user') current.db.close();
  }
  // If this fails, the next check tries again.
  if (before !== undefined && before !== user.id)
    await emptyLoggedOutDatabase(context, before).catch(() => {});
}

/**
 * Stores who is logged in on the device, and a logout of the user before, whose waiting ops are kept. Resolves with the id of
 * that user, if any. Resolves with `logged_out`, and stores nothing, if another tab has logged out in the meantime.
 */
function rememberUser(device: DeviceDb, userId: number): Promise<number | undefined | 'logged_out'> {
  return device.transaction('rw', device.entries, async () => {
    if ((await device.entries.get('signedOut')) !== undefined) return 'logged_out';
    const before = (await device.entries.get('lastUserId'))?.value;
    if (before !== userId) await device.entries.delete('homeSnapshot');
    if (before !== undefined && before !== userId) await device.entries.put(newLogout(before, 'keep'));
    await device.entries.put({ key: 'lastUserId', value: userId });
    await device.entries.delete('sessionEndedAt');
    return before;
  });
}

/**
 * Applies a login or logout of another tab. Resolves with false if a session check was necessary and the server was
 * unreachable.
 */
export async function followOtherTab(context: SessionContext): Promise<boolean> {
  const { device, generation, session } = context;
  const current = session.get();
  /** The session with the database of `current`; null after a login, a logout or a check that has opened another one. */
  const sessionNow = () => {
    const now = session.get();
    if (context.generation !== generation || now.status !== 'user' || current.status !== 'user') return null;
    return now.db === current.db ? now : null;
  };
  const lastUserId = await loggedInUserId(device);
  // A login or logout in this tab takes precedence, and is announced to the other tabs.
  if (context.generation !== generation || (current.status === 'visitor' && lastUserId === null)) return true;
  const isSame = current.status === 'user' && current.user.id === lastUserId;
  if (isSame && current.db.hasBeenClosed()) {
    // The database was deleted without a logout.
    context.onEvicted(current.user.id);
    const db = await openDatabase(context, current.user.id);
    try {
      if (sessionNow() !== null) await adoptUser(db, current.user, context.clock.now());
    } finally {
      // Also runs if there was no space for the user, so that the next response can be stored in an open database.
      const now = sessionNow();
      if (now !== null) session.set({ ...now, db });
      else db.close();
    }
    return true;
  }
  if (isSame && !current.needsLogin) {
    // The other tab may have changed the account, or found that the server was replaced by one whose account has the same id.
    const user = await current.db.user.get(current.user.id);
    const now = sessionNow();
    if (now === null || user === undefined) return true;
    if (user.epoch !== now.user.epoch || user.rev > now.user.rev) session.set({ ...now, user });
    return true;
  }
  // The session of this tab has ended. The user may have logged in again in the other tab.
  if (isSame) return checkUser(context);
  context.generation += 1;
  // A tab without a user remains as it is until the next user is known.
  const showsNoUser = current.status === 'visitor' || current.status === 'storage_blocked';
  if (lastUserId === null) session.set({ status: 'visitor' });
  else if (!showsNoUser) session.set({ status: 'loading' });
  if (current.status === 'user') current.db.close();
  if (lastUserId === null) {
    // Either a logout has already reached the server, or the browser has evicted the entry. The server knows which.
    const isUncertain = (await device.entries.get('signedOut')) === undefined;
    return isUncertain ? checkUser(context) : true;
  }
  await openLastUser(context);
  return checkUser(context);
}

/** Whether the end of the last user's session was noticed at least 30 days ago, without a login since. */
async function hasEndedLongAgo({ device, clock }: SessionContext): Promise<boolean> {
  const endedAt = await device.entries.get('sessionEndedAt');
  return endedAt !== undefined && clock.now() - endedAt.value >= LOGGED_OUT_AFTER_MS;
}

/**
 * Applies the end of the session on the server: the cache and the outbox are kept until the user logs in again. After 30 days
 * without a login, the user is logged out on this device, and only the outbox is kept.
 */
export async function endSession(context: SessionContext): Promise<void> {
  const { clock, device, session } = context;
  const current = session.get();
  if (current.status !== 'user') return;
  const endedSession: Session = { ...current, needsLogin: true };
  // Set before any asynchronous work, so that a login in the meantime takes precedence.
  session.set(endedSession);
  await moveOps(current.db, 'queued', 'blocked_auth');
  const isLongAgo = await hasEndedLongAgo(context);
  const after = session.get();
  const isSame = after.status === 'user' && after.db === current.db;
  if (isSame && !after.needsLogin) await moveOps(current.db, 'blocked_auth', 'queued');
  else if (isSame && isLongAgo) await logOut(context, 'keep');
  else if (isSame && (await device.entries.get('sessionEndedAt')) === undefined)
    await device.entries.put({ key: 'sessionEndedAt', value: clock.now() });
}
