import type { User } from '#shared/accounts/schema.ts';
import { putUser } from '#sync/client/cache/cache.ts';
import type { KnownAccount, UserDb } from '#sync/client/db.ts';
import { dropOldAcknowledged, requeueAcknowledged } from '#sync/client/outbox/acknowledged.ts';
import { takeBackLeased } from '#sync/client/outbox/discard.ts';
import type { OpError } from '#sync/protocol/op.ts';

const SERVER_REPLACED: OpError = {
  status: 0,
  code: 'server_replaced',
  message: 'The server was set up anew since this was made.',
};

/**
 * Stores the user as the server tells them. Where the answer comes from another history of the server than the cache (its
 * epoch differs), the cache is emptied first: revisions of two histories cannot be compared. If the account is the same, the
 * server was restored from a backup: what waits is sent as before, and what was acknowledged lately is sent again. If it is
 * not, the server was set up anew, and the person decides about what waits.
 *
 * This runs at each start and whenever the page is looked at again: the moment to let go of what is kept for hours only.
 */
export async function adoptUser(db: UserDb, user: User, nowMs: number): Promise<void> {
  await db.transaction('rw', db.tables, async () => {
    const known = (await db.account.get(user.id)) ?? (await db.user.get(user.id));
    if (known !== undefined && isOtherServer(known, user)) {
      await clearCaches(db);
      await takeBackLeased(db);
      if (isSameAccount(known, user)) await requeueAcknowledged(db, nowMs);
      else await askAboutWaiting(db);
    }
    await dropOldAcknowledged(db, nowMs);
    await putUser(db, user);
    const { id, createdAt, referralCode, epoch = known?.epoch } = user;
    const stored = await db.account.get(user.id);
    const isStored = stored !== undefined && isSameAccount(stored, user) && stored.epoch === epoch;
    if (!isStored) await db.account.put({ id, createdAt, referralCode, epoch });
  });
}

function isOtherServer(known: KnownAccount, user: User): boolean {
  if (!isSameAccount(known, user)) return true;
  return known.epoch !== undefined && user.epoch !== undefined && known.epoch !== user.epoch;
}

function isSameAccount(known: KnownAccount, user: User): boolean {
  return known.createdAt === user.createdAt && known.referralCode === user.referralCode;
}

/** Empties everything that the server can tell again. Runs in the caller's transaction. */
export async function clearCaches(db: UserDb): Promise<void> {
  const caches = [db.polls, db.feed, db.mine, db.trending, db.listMeta, db.user];
  await Promise.all(caches.map((table) => table.clear()));
}

async function askAboutWaiting(db: UserDb): Promise<void> {
  await db.acknowledged.clear();
  await db.ops
    .where('state')
    .anyOf('queued', 'blocked_auth')
    .modify({ state: 'needs_attention', lastError: SERVER_REPLACED });
}
