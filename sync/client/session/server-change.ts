import type { User } from '#shared/accounts/schema.ts';
import { putUser } from '#sync/client/cache/cache.ts';
import type { KnownAccount, UserDb } from '#sync/client/db.ts';
import { dropOldAcknowledged, requeueAcknowledged } from '#sync/client/outbox/acknowledged.ts';
import { revokeLeases } from '#sync/client/outbox/discard.ts';
import type { OpError } from '#sync/protocol/op.ts';

const SERVER_REPLACED: OpError = {
  status: 0,
  code: 'server_replaced',
  message: 'The server has been replaced since you made this change.',
};

/**
 * Stores the user from the server, and deletes old acknowledged ops. If the server's epoch or the account has changed, empties
 * the cache first, since revisions of two histories cannot be compared. If the account is the same, the server was restored
 * from a backup: waiting ops are sent, and recently acknowledged ops are sent again. If not, the server was set up from
 * scratch, and the user decides about waiting ops. Resolves with whether the server was restored or set up from scratch.
 */
export function adoptUser(db: UserDb, user: User, nowMs: number): Promise<boolean> {
  return db.transaction('rw', db.tables, async () => {
    const knownAccount = (await db.account.get(user.id)) ?? (await db.user.get(user.id));
    const isOther = knownAccount !== undefined && isOtherServer(knownAccount, user);
    if (isOther) {
      await clearCaches(db);
      await revokeLeases(db, { isOtherServer: true });
      if (isSameAccount(knownAccount, user)) await requeueAcknowledged(db, nowMs);
      else await requireDecisions(db);
    }
    await dropOldAcknowledged(db, nowMs);
    await putUser(db, user);
    // If an older server sends no epoch, the known one is kept, but not that of another server.
    const { id, createdAt, referralCode, epoch = isOther ? undefined : knownAccount?.epoch } = user;
    const storedAccount = await db.account.get(user.id);
    const isStored =
      storedAccount !== undefined && isSameAccount(storedAccount, user) && storedAccount.epoch === epoch;
    if (!isStored) await db.account.put({ id, createdAt, referralCode, epoch });
    return isOther;
  });
}

function isOtherServer(known: KnownAccount, user: User): boolean {
  if (!isSameAccount(known, user)) return true;
  return known.epoch !== undefined && user.epoch !== undefined && known.epoch !== user.epoch;
}

function isSameAccount(known: KnownAccount, user: User): boolean {
  return known.createdAt === user.createdAt && known.referralCode === user.referralCode;
}

/** Deletes everything that can be fetched again. Runs in the caller's transaction. */
export async function clearCaches(db: UserDb): Promise<void> {
  const lists = [db.feed, db.mine, db.trending, db.deck, db.activity, db.notifications];
  const caches = [...lists, db.listMeta, db.polls, db.user, db.hidden];
  await Promise.all(caches.map((table) => table.clear()));
}

/** Makes waiting ops wait for the user's decision. They are not sent to the new server. */
async function requireDecisions(db: UserDb): Promise<void> {
  await db.acknowledged.clear();
  await db.ops
    .where('state')
    .anyOf('queued', 'blocked_auth')
    .modify({ state: 'needs_attention', lastError: SERVER_REPLACED });
}
