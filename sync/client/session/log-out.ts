import { logOut as logOutCall } from '#shared/accounts/contract.ts';
import type { User } from '#shared/accounts/schema.ts';
import { background } from '#sync/client/background.ts';
import type { UserDb } from '#sync/client/db.ts';
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
  await withDatabaseLimit(clock, device.entries.put({ key: 'signedOut', value: 1 }));
  await withDatabaseLimit(clock, device.entries.bulkDelete(['lastUserId', 'sessionEndedAt']));
  session.set({ status: 'visitor' });
  context.tabs.announce();
  // The log out does not wait for the browser's cache.
  background(storage.dropImages());
  try {
    if (left !== null) await emptyDatabase(context, left, waiting, shown);
  } finally {
    await finishLogOut(context);
  }
}

/** Tells the server of a pending log out. False when it could not be told. */
export async function finishLogOut({
  clock,
  transport,
  device,
}: Pick<SessionContext, 'clock' | 'transport' | 'device'>): Promise<boolean> {
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

/**
 * Deletes everything but ops and their images: waiting ops if they are to be kept, and refused ones in any case, since the
 * person has not decided about them. The database itself is not deleted: that would wait for every tab that has it open, and
 * lose what another tab stores at the same moment.
 */
async function emptyDatabase(
  { clock, deviceNote }: SessionContext,
  { db, user }: OpenUser,
  waiting: 'keep' | 'discard',
  shown: readonly string[] | undefined,
): Promise<void> {
  const emptied = db.transaction('rw', db.tables, async () => {
    await revokeLeases(db);
    if (waiting === 'discard') await discardWaiting(db, shown);
    await db.acknowledged.clear();
    await clearCaches(db);
    // Identifies the account of the kept ops at the next login.
    const kept = await db.ops.count();
    if (kept === 0) await db.account.clear();
    return kept;
  });
  try {
    deviceNote.noteWaiting(user.id, await withDatabaseLimit(clock, emptied));
  } finally {
    db.close();
  }
}

/** Deletes what the former user of this device has seen, after a session that has ended without a log out. */
export async function forgetUser({ clock }: Pick<SessionContext, 'clock'>, db: UserDb): Promise<void> {
  const forgotten = db.transaction('rw', db.tables, async () => {
    await db.acknowledged.clear();
    await clearCaches(db);
  });
  await withDatabaseLimit(clock, forgotten).catch(() => {});
}
