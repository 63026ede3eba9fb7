import type { User } from '#shared/accounts/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import { background } from '#sync/client/background.ts';
import { fetchUser } from '#sync/client/cache/pull.ts';
import { withFreedSpace } from '#sync/client/cache/storage.ts';
import { type DeviceDb, loggedInUserId, openUserDb, type UserDb } from '#sync/client/db.ts';
import { openInTime } from '#sync/client/open-database.ts';
import { moveOps, resetBackoff } from '#sync/client/outbox/outbox.ts';
import { emptyLoggedOutDatabase, finishLogOut, forgetUser, leave, logOut } from './log-out.ts';
import { adoptUser } from './server-change.ts';
import type { Session, SessionContext } from './session-context.ts';

/** How long after the end of a session the device forgets what its user has seen. */
const FORGOTTEN_AFTER_MS = 30 * DAY_MS;

/**
 * Opens the database of a user. A tab of an earlier version deletes it to log out; this one then logs out too. Throws
 * `TimeLimitError` when another tab blocks it.
 */
async function openDatabase(context: SessionContext, userId: number): Promise<UserDb> {
  const { clock, databasePrefix, session } = context;
  const db = openUserDb(databasePrefix, userId);
  db.on('versionchange', ({ newVersion }) => {
    if (newVersion === null) background(followOtherTab(context));
  });
  db.on('populate', (transaction) => {
    const current = session.get();
    if (current.status !== 'user' || current.db !== db) return;
    // Created anew while in use: it was evicted. The user is stored again, so that later changes are shown.
    background(Promise.resolve(transaction.table('user').add(current.user)));
    context.onEvicted(userId);
    // Another tab may be the visible one.
    context.tabs.announce();
  });
  await openInTime(db, clock);
  // An earlier version of the app may have stored only a part of the page, which a 304 would keep.
  background(db.listMeta.update('feed', { etag: null }));
  return db;
}

/** Shows the cache of the last user, if there is one. */
export async function openLastUser(context: SessionContext): Promise<void> {
  const { device, session } = context;
  const userId = await loggedInUserId(device);
  if (userId === null) return;
  await emptyLoggedOutDatabase(context, userId);
  const db = await openDatabase(context, userId);
  const user = await db.user.get(userId);
  if (user === undefined) return db.close();
  if (await hasEndedLongAgo(context)) await leave(context, { user, db }, 'keep');
  else session.set({ status: 'user', user, db, needsLogin: false });
}

/**
 * Asks the server who is logged in and applies the response. Without a response nothing changes, and the result is false. In a
 * browser that nobody has logged in in, the response is known.
 */
export async function checkUser(context: SessionContext): Promise<boolean> {
  const { device, deviceNote, generation, session } = context;
  const isHeard = await finishLogOut(context);
  if (context.generation !== generation) return true;
  if (!isHeard) {
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
  const user = await fetchUser(context.transport, context.onResponse);
  const current = session.get();
  if (user === 'unreachable') {
    if (current.status === 'loading') session.set({ status: 'visitor' });
    return false;
  }
  // Without the entry of the last login, the device was cleared and only cookies are left.
  const isForgotten = current.status !== 'user' && (await device.entries.get('lastUserId')) === undefined;
  if (context.generation !== generation) return true;
  if (context.takeCleared() && isForgotten) context.onEvicted(user?.id ?? null);
  if (user !== null) await openUser(context, user);
  else if (current.status === 'user') await endSession(context);
  else session.set({ status: 'visitor' });
  return true;
}

/**
 * Checks a session that the server has refused. Without a response the session counts as ended, though it may be valid: after a
 * restore the server refuses requests with the former epoch.
 */
export async function checkUserOrEnd(context: SessionContext): Promise<boolean> {
  const isKnown = await checkUser(context);
  if (!isKnown) await endSession(context);
  return isKnown;
}

/** Makes `user` the logged-in user, after a login or a registration. */
export async function startSession(context: SessionContext, user: User): Promise<void> {
  context.generation += 1;
  const { generation } = context;
  await context.device.entries.delete('signedOut');
  // A later login or log out wins.
  if (context.generation !== generation) return;
  // Before the new database overwrites the count of waiting changes.
  if (context.takeCleared()) context.onEvicted(user.id);
  await openUser(context, user);
  // Another tab of this user may wait for the login.
  context.tabs.announce();
}

/** Opens the database of `user` and unblocks their waiting ops. */
async function openUser(context: SessionContext, user: User): Promise<void> {
  const { clock, device, generation, session } = context;
  await emptyLoggedOutDatabase(context, user.id);
  const current = session.get();
  const own = current.status === 'user' && current.user.id === user.id ? current.db : null;
  // A database that was deleted while it opened stays closed.
  const isUsable = own !== null && !own.hasBeenClosed() && !own.hasFailed();
  const db = isUsable ? own : await openDatabase(context, user.id);
  const isOther = await withFreedSpace(context.storage, db, () => adoptUser(db, user, clock.now()));
  if (isOther) await device.entries.delete('homeSnapshot');
  await moveOps(db, 'blocked_auth', 'queued');
  await resetBackoff(db);
  // A later login or log out has written its own entry.
  const isLoggedIn = context.generation === generation && (await rememberUser(device, user.id));
  if (context.generation !== generation) {
    if (!isUsable) db.close();
    return;
  }
  if (!isLoggedIn) {
    // What was stored just now is gone again.
    await forgetUser(context, db);
    db.close();
    if (current.status === 'user') current.db.close();
    session.set({ status: 'visitor' });
    return;
  }
  session.set({ status: 'user', user, db, needsLogin: false });
  if (isUsable) return;
  context.tabs.announce();
  if (current.status !== 'user') return;
  if (current.user.id !== user.id) await forgetUser(context, current.db);
  current.db.close();
}

/** Notes who is logged in on the device. False when another tab has logged out meanwhile. */
function rememberUser(device: DeviceDb, userId: number): Promise<boolean> {
  return device.transaction('rw', device.entries, async () => {
    if ((await device.entries.get('signedOut')) !== undefined) return false;
    const last = await device.entries.get('lastUserId');
    if (last?.value !== userId) await device.entries.delete('homeSnapshot');
    await device.entries.put({ key: 'lastUserId', value: userId });
    await device.entries.delete('sessionEndedAt');
    return true;
  });
}

/** Applies a login or log out of another tab. False when the server had to be asked and did not answer. */
export async function followOtherTab(context: SessionContext): Promise<boolean> {
  const { device, session } = context;
  const current = session.get();
  const lastUserId = await loggedInUserId(device);
  const isSame = current.status === 'user' && current.user.id === lastUserId;
  if (isSame && current.db.hasBeenClosed()) {
    // The database was deleted without a log out.
    context.onEvicted(current.user.id);
    const db = await openDatabase(context, current.user.id);
    try {
      await adoptUser(db, current.user, context.clock.now());
    } finally {
      // Even without space for the user: the next answer finds an open database.
      session.set({ ...current, db });
    }
    return true;
  }
  if (isSame && !current.needsLogin) {
    // That tab may have met another server, whose account has the same id.
    const user = await current.db.user.get(current.user.id);
    if (user !== undefined && user.epoch !== current.user.epoch) session.set({ ...current, user });
    return true;
  }
  context.generation += 1;
  if (current.status === 'user' && !isSame) {
    session.set({ status: lastUserId === null ? 'visitor' : 'loading' });
    current.db.close();
  }
  if (lastUserId === null) {
    // The server has already heard of the log out, or there was none and the browser evicted the entry: it knows which.
    const isUncertain = current.status === 'user' && (await device.entries.get('signedOut')) === undefined;
    return isUncertain ? checkUser(context) : true;
  }
  if (!isSame) await openLastUser(context);
  return checkUser(context);
}

/** Whether the last user's session was found to be over, and nobody has logged in for 30 days since. */
async function hasEndedLongAgo({ device, clock }: SessionContext): Promise<boolean> {
  const ended = await device.entries.get('sessionEndedAt');
  return ended !== undefined && clock.now() - ended.value >= FORGOTTEN_AFTER_MS;
}

/**
 * The session is over on the server: cache and queue stay and wait for the user to log in again. After 30 days without that
 * the device is logged out, as a person would who wants to keep what waits.
 */
export async function endSession(context: SessionContext): Promise<void> {
  const { clock, device, session } = context;
  const current = session.get();
  if (current.status !== 'user') return;
  const ended: Session = { ...current, needsLogin: true };
  // At once: who logs in meanwhile has the last word.
  session.set(ended);
  await moveOps(current.db, 'queued', 'blocked_auth');
  const isLongAgo = await hasEndedLongAgo(context);
  const after = session.get();
  const isSame = after.status === 'user' && after.db === current.db;
  if (isSame && !after.needsLogin) await moveOps(current.db, 'blocked_auth', 'queued');
  else if (isSame && isLongAgo) await logOut(context, 'keep');
  else if (isSame && (await device.entries.get('sessionEndedAt')) === undefined)
    await device.entries.put({ key: 'sessionEndedAt', value: clock.now() });
}
