import type { User } from '#shared/auth/schema.ts';
import { background } from './background.ts';
import { putUser } from './cache.ts';
import { type DeviceDb, openUserDb, type UserDb } from './db.ts';
import { discardWaiting, takeBackLeased } from './discard.ts';
import type { Settable } from './observable.ts';
import { moveOps, resetBackoff } from './outbox.ts';
import { fetchUser } from './pull.ts';
import type { Session, SessionChannel, Transport, TransportAnswer } from './types.ts';

const LOGOUT_TIMEOUT_MS = 10_000;

/** What the session's functions work with. */
export type SessionContext = {
  transport: Transport;
  device: DeviceDb;
  session: Settable<Session>;
  tabs: SessionChannel;
  databasePrefix: string;
  /** Raised by every login and log out here or in another tab: an answer asked for before it counts no more. */
  generation: number;
  onAnswer(answer: TransportAnswer | null): void;
};

/** The database of a user. A tab that deletes it has logged out: this one follows, whether or not it was told. */
function openDatabase(context: SessionContext, userId: number): UserDb {
  const db = openUserDb(context.databasePrefix, userId);
  db.on('versionchange', () => background(followOtherTab(context)));
  return db;
}

/** Shows the last user's cache at once, if this device has one. */
export async function openLastUser(context: SessionContext): Promise<void> {
  const { device, session } = context;
  if ((await device.entries.get('signedOut')) !== undefined) return;
  const last = await device.entries.get('lastUserId');
  if (last === undefined) return;
  const db = openDatabase(context, last.value);
  const user = await db.user.get(last.value);
  if (user === undefined) db.close();
  else session.set({ status: 'user', user, db, needsLogin: false });
}

/**
 * Asks the server who is signed in and follows its answer; an unreachable server changes nothing. False when it could
 * not be asked.
 */
export async function checkUser(context: SessionContext): Promise<boolean> {
  const { generation, session } = context;
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
  if (user !== null) await openUser(context, user);
  else if (current.status === 'user') await endSession(context);
  else session.set({ status: 'visitor' });
  return true;
}

/** After a login or registration: `user` is the one whom this app belongs to. */
export async function enter(context: SessionContext, user: User): Promise<void> {
  context.generation += 1;
  await context.device.entries.delete('signedOut');
  await openUser(context, user);
  // A tab of the same user may wait for this login.
  context.tabs.announce();
}

/** Opens the database of `user`; their waiting changes may go out again. */
async function openUser(context: SessionContext, user: User): Promise<void> {
  const { device, generation, session } = context;
  const current = session.get();
  const isSame = current.status === 'user' && current.user.id === user.id;
  const db = isSame ? current.db : openDatabase(context, user.id);
  await putUser(db, user);
  await moveOps(db, 'blocked_auth', 'queued');
  await resetBackoff(db);
  await device.entries.put({ key: 'lastUserId', value: user.id });
  if (context.generation !== generation) {
    // Somebody logged out or in meanwhile, and has left a mark of their own unless nobody is signed in now.
    if (session.get().status === 'visitor') await device.entries.delete('lastUserId');
    if (!isSame) db.close();
    return;
  }
  session.set({ status: 'user', user, db, needsLogin: false });
  if (isSame) return;
  context.tabs.announce();
  if (current.status === 'user') current.db.close();
}

/** Another tab logged in or out: this one follows. False when the server should have been asked and could not. */
export async function followOtherTab(context: SessionContext): Promise<boolean> {
  const { device, session } = context;
  const current = session.get();
  const last = await device.entries.get('lastUserId');
  const isSame = current.status === 'user' && current.user.id === last?.value;
  if (isSame && !current.needsLogin) return true;
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
  await moveOps(current.db, 'queued', 'blocked_auth');
  session.set({ ...current, needsLogin: true });
}

/**
 * Logs out: the cache goes at once, waiting ops are kept for this account or discarded, and the server is told
 * now or, when it cannot be reached, before anything else is asked of it.
 */
export async function logOut(context: SessionContext, waiting: 'keep' | 'discard'): Promise<void> {
  const { device, session } = context;
  const current = session.get();
  context.generation += 1;
  await device.entries.put({ key: 'signedOut', value: 1 });
  await device.entries.delete('lastUserId');
  session.set({ status: 'visitor' });
  context.tabs.announce();
  if (current.status === 'user') await clearCache(current.db, waiting);
  await finishLogOut(context);
}

/** Tells the server about a log out that it has not heard of yet. False while it cannot be told. */
export async function finishLogOut({
  transport,
  device,
}: Pick<SessionContext, 'transport' | 'device'>): Promise<boolean> {
  if ((await device.entries.get('signedOut')) === undefined) return true;
  try {
    const { status } = await transport({
      method: 'POST',
      path: '/api/logout',
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
 * Forgets what the server can tell again; ops that are kept stay with their pictures, and with them the database: what
 * waits if it is to be kept, and what was refused in any case, since about that the person has not decided.
 * It is emptied before it is deleted, which another tab can put off for as long as it reads.
 */
async function clearCache(db: UserDb, waiting: 'keep' | 'discard'): Promise<void> {
  const isKept = await db.transaction('rw', db.tables, async () => {
    await takeBackLeased(db);
    if (waiting === 'discard') await discardWaiting(db);
    const emptied = db.tables.filter(({ name }) => name !== 'ops' && name !== 'opBlobs');
    await Promise.all(emptied.map((table) => table.clear()));
    return (await db.ops.count()) > 0;
  });
  if (isKept) db.close();
  else background(db.delete());
}
