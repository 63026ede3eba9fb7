import { logOut as logOutCall } from '#shared/accounts/contract.ts';
import type { User } from '#shared/accounts/schema.ts';
import { background } from '#sync/client/background.ts';
import { fetchUser } from '#sync/client/cache/pull.ts';
import { withRoom } from '#sync/client/cache/storage.ts';
import { type DeviceDb, openUserDb, signedInUserId, type UserDb } from '#sync/client/db.ts';
import type { Settable } from '#sync/client/observable.ts';
import { openInTime } from '#sync/client/open-database.ts';
import { discardWaiting, takeBackLeased } from '#sync/client/outbox/discard.ts';
import { moveOps, resetBackoff } from '#sync/client/outbox/outbox.ts';
import { DATABASE_LIMIT_MS, withTimeLimit } from '#sync/client/time-limit.ts';
import type {
  Clock,
  DeviceNote,
  Session,
  SessionChannel,
  StorageManager,
  Transport,
  TransportAnswer,
} from '#sync/client/types.ts';
import { adoptUser, clearCaches } from './server-change.ts';

const LOGOUT_TIMEOUT_MS = 10_000;

/** What the session's functions work with. */
export type SessionContext = {
  transport: Transport;
  clock: Clock;
  device: DeviceDb;
  session: Settable<Session>;
  tabs: SessionChannel;
  databasePrefix: string;
  /** Raised by every login and log out here or in another tab: an answer asked for before it counts no more. */
  generation: number;
  onAnswer(answer: TransportAnswer | null): void;
  storage: Pick<StorageManager, 'dropImages'>;
  deviceNote: Pick<DeviceNote, 'noteWaiting'>;
  /** Whether the device has turned out to know nothing though the app had been used in this browser before: said once. */
  takeCleared(): boolean;
  /** The browser has removed what the device kept for a user, without being asked; null where nobody is signed in. */
  onEvicted(userId: number | null): void;
};

/**
 * The open database of a user. A tab of an earlier version that deletes it has logged out: this one follows. Throws
 * `TimeLimitError` when another tab keeps it from being opened.
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
    // Made once more while it is in use: it was removed under this tab. What is stored next has to be shown.
    background(Promise.resolve(transaction.table('user').add(current.user)));
    context.onEvicted(userId);
    // The tab that is looked at may be another one.
    context.tabs.announce();
  });
  await openInTime(db, clock);
  // An earlier version of the app may not have understood all of the page that it stored: a 304 would keep it as it is.
  background(db.listMeta.update('feed', { etag: null }));
  return db;
}

/** Shows the last user's cache at once, if this device has one. */
export async function openLastUser(context: SessionContext): Promise<void> {
  const { device, session } = context;
  const userId = await signedInUserId(device);
  if (userId === null) return;
  const db = await openDatabase(context, userId);
  const user = await db.user.get(userId);
  if (user === undefined) db.close();
  else session.set({ status: 'user', user, db, needsLogin: false });
}

/**
 * Asks the server who is signed in and follows its answer; an unreachable server changes nothing. False when it could
 * not be asked.
 */
export async function checkUser(context: SessionContext): Promise<boolean> {
  const { device, generation, session } = context;
  const isHeard = await finishLogOut(context);
  if (context.generation !== generation) return true;
  if (!isHeard) {
    session.set({ status: 'visitor' });
    return false;
  }
  const user = await fetchUser(context.transport, context.onAnswer);
  if (context.generation !== generation) return true;
  const current = session.get();
  if (user === 'unreachable') {
    if (current.status === 'loading') session.set({ status: 'visitor' });
    return false;
  }
  // A log in leaves its mark on the device: without it, cookies are all that the browser has left.
  const isForgotten = current.status !== 'user' && (await device.entries.get('lastUserId')) === undefined;
  if (context.generation !== generation) return true;
  if (context.takeCleared() && isForgotten) context.onEvicted(user?.id ?? null);
  if (user !== null) await openUser(context, user);
  else if (current.status === 'user') await endSession(context);
  else session.set({ status: 'visitor' });
  return true;
}

/**
 * The server took somebody else, or nobody, for this user: asks it whom. While it does not say, the session counts as over,
 * though it may be good: after a restore the server refuses what names the former epoch.
 */
export async function checkUserOrEnd(context: SessionContext): Promise<boolean> {
  const isKnown = await checkUser(context);
  if (!isKnown) await endSession(context);
  return isKnown;
}

/** After a login or registration: `user` is the one whom this app belongs to. */
export async function enter(context: SessionContext, user: User): Promise<void> {
  context.generation += 1;
  const { generation } = context;
  await context.device.entries.delete('signedOut');
  // Who logs in or out meanwhile has the last word.
  if (context.generation !== generation) return;
  // Before the database is made anew, and what waits in it noted.
  if (context.takeCleared()) context.onEvicted(user.id);
  await openUser(context, user);
  // A tab of the same user may wait for this login.
  context.tabs.announce();
}

/** Opens the database of `user`; their waiting changes may go out again. */
async function openUser(context: SessionContext, user: User): Promise<void> {
  const { clock, device, generation, session } = context;
  const current = session.get();
  const own = current.status === 'user' && current.user.id === user.id ? current.db : null;
  // One that was removed while it opened stays closed for good.
  const isUsable = own !== null && !own.hasBeenClosed() && !own.hasFailed();
  const db = isUsable ? own : await openDatabase(context, user.id);
  await withRoom(context.storage, db, () => adoptUser(db, user, clock.now()));
  await moveOps(db, 'blocked_auth', 'queued');
  await resetBackoff(db);
  // Who logs out or in meanwhile leaves a mark of their own, which must not be overwritten.
  if (context.generation === generation) await device.entries.put({ key: 'lastUserId', value: user.id });
  if (context.generation !== generation) {
    if (!isUsable) db.close();
    return;
  }
  session.set({ status: 'user', user, db, needsLogin: false });
  if (isUsable) return;
  context.tabs.announce();
  if (current.status === 'user') current.db.close();
}

/** Another tab logged in or out: this one follows. False when the server should have been asked and could not. */
export async function followOtherTab(context: SessionContext): Promise<boolean> {
  const { device, session } = context;
  const current = session.get();
  const last = await device.entries.get('lastUserId');
  const isSame = current.status === 'user' && current.user.id === last?.value;
  if (isSame && current.db.hasBeenClosed()) {
    // The database was deleted though nobody has logged out.
    context.onEvicted(current.user.id);
    const db = await openDatabase(context, current.user.id);
    try {
      await adoptUser(db, current.user, context.clock.now());
    } finally {
      // Without room for the user too: the next answer that tells them finds a database that is open.
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
    session.set({ status: last === undefined ? 'visitor' : 'loading' });
    current.db.close();
  }
  if (last === undefined) return true;
  if (!isSame) await openLastUser(context);
  return checkUser(context);
}

/** The session is over on the server: cache and queue stay and wait for the user to log in again. */
export async function endSession({ session }: SessionContext): Promise<void> {
  const current = session.get();
  if (current.status !== 'user') return;
  const ended: Session = { ...current, needsLogin: true };
  // At once: who logs in meanwhile has the last word.
  session.set(ended);
  await moveOps(current.db, 'queued', 'blocked_auth');
  const after = session.get();
  const isBack = after.status === 'user' && after.db === current.db && !after.needsLogin;
  if (isBack) await moveOps(current.db, 'blocked_auth', 'queued');
}

/**
 * Logs out: the cache goes at once, waiting ops are kept for this account or discarded, and the server is told
 * now or, when it cannot be reached, before anything else is asked of it.
 */
export async function logOut(
  context: SessionContext,
  waiting: 'keep' | 'discard',
  shown?: readonly string[],
): Promise<void> {
  const { device, session } = context;
  const current = session.get();
  context.generation += 1;
  const limited = <Result>(work: PromiseLike<Result>) =>
    withTimeLimit(context.clock, DATABASE_LIMIT_MS, work);
  await limited(device.entries.put({ key: 'signedOut', value: 1 }));
  await limited(device.entries.delete('lastUserId'));
  session.set({ status: 'visitor' });
  context.tabs.announce();
  try {
    if (current.status === 'user') await emptyDatabase(context, current, waiting, shown);
  } finally {
    await finishLogOut(context);
  }
}

/** Tells the server about a log out that it has not heard of yet. False while it cannot be told. */
export async function finishLogOut({
  transport,
  device,
}: Pick<SessionContext, 'transport' | 'device'>): Promise<boolean> {
  if ((await device.entries.get('signedOut')) === undefined) return true;
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
  await device.entries.delete('signedOut');
  return true;
}

/**
 * Forgets what the server can tell again. Ops that are kept stay with their images: what waits if it is to be kept, and
 * what was refused in any case, since about that the person has not decided. The database itself stays: deleting it would
 * wait for every tab that has it open, and lose what another tab stores at the same moment.
 */
async function emptyDatabase(
  { clock, deviceNote }: SessionContext,
  { db, user }: { db: UserDb; user: User },
  waiting: 'keep' | 'discard',
  shown: readonly string[] | undefined,
): Promise<void> {
  const emptied = db.transaction('rw', db.tables, async () => {
    await takeBackLeased(db);
    if (waiting === 'discard') await discardWaiting(db, shown);
    await db.acknowledged.clear();
    await clearCaches(db);
    // What is kept has to be known as this account's at the next login.
    const kept = await db.ops.count();
    if (kept === 0) await db.account.clear();
    return kept;
  });
  try {
    deviceNote.noteWaiting(user.id, await withTimeLimit(clock, DATABASE_LIMIT_MS, emptied));
  } finally {
    db.close();
  }
}
