import { Dexie, type EntityTable, type Table } from 'dexie';
import type { User } from '#shared/accounts/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { Op } from '#sync/operations/registry.ts';

/** One queued image. Bytes, not a Blob: iOS loses Blobs in IndexedDB. */
export type OpBlob = {
  opId: string;
  slot: 1 | 2;
  bytes: ArrayBuffer;
  mime: string;
  sha256: string;
  width: number;
  height: number;
};

/**
 * One place in a list of polls; lower positions come first. `ackedAt` is when the server acknowledged a poll made on
 * this device (milliseconds since 1970), for reads that started before and do not know it yet.
 */
export type ListEntry = { pollId: string; position: number; ackedAt?: number };

/** What is known about a list besides its entries. Times are milliseconds since 1970. */
export type ListMeta = {
  list: 'feed' | 'mine' | 'trending';
  fetchedAt: number;
  etag: string | null;
  nextCursor: string | null;
  hasMore: boolean;
};

/**
 * The user as the server last told in full. `pointsRev` is the revision of points that were told alone since, when it
 * is a newer one.
 */
export type CachedUser = User & { pointsRev?: number };

/** A poll as the server last told it. `areResultsOld`: something has changed since that leaves the number of votes as it was. */
export type CachedPoll = Poll & { areResultsOld?: boolean };

/** An op that the server has acknowledged at `acknowledgedAt` (milliseconds since 1970), with its images. */
export type AcknowledgedOp = { opId: string; acknowledgedAt: number; op: Op; blobs: OpBlob[] };

/** Whom and which server the ops of this database were made for. It outlives a log out, as the ops do. */
export type KnownAccount = Pick<User, 'id' | 'createdAt' | 'referralCode' | 'epoch'>;

/** Everything that one user's device keeps. `polls`, the lists and `user` hold the server's truth only. */
export type UserDb = Dexie & {
  ops: EntityTable<Op, 'seq'>;
  opBlobs: Table<OpBlob, [string, number]>;
  acknowledged: EntityTable<AcknowledgedOp, 'opId'>;
  account: EntityTable<KnownAccount, 'id'>;
  polls: EntityTable<CachedPoll, 'id'>;
  feed: EntityTable<ListEntry, 'pollId'>;
  mine: EntityTable<ListEntry, 'pollId'>;
  trending: EntityTable<ListEntry, 'pollId'>;
  listMeta: EntityTable<ListMeta, 'list'>;
  user: EntityTable<CachedUser, 'id'>;
};

/** How the names of the databases begin in a real browser. */
export const DATABASE_PREFIX = 'this-or-that';

/** Opens (and on first use creates) the database of one user. `prefix` begins the names of all databases. */
export function openUserDb(prefix: string, userId: number): UserDb {
  const db = new Dexie(`${prefix}-user-${userId}`, {
    chromeTransactionDurability: 'strict',
  }) as UserDb;
  db.version(1).stores({
    ops: '++seq, &opId, state, entityId',
    opBlobs: '[opId+slot], opId',
    polls: 'id',
    feed: 'pollId, position',
    mine: 'pollId, position',
    trending: 'pollId, position',
    listMeta: 'list',
    user: 'id',
  });
  db.version(2).stores({ acknowledged: 'opId, acknowledgedAt', account: 'id' });
  db.on('versionchange', ({ newVersion }) => {
    if (newVersion !== null) return;
    // Deleted, by a log out in a tab of an earlier version, say: closed for good, or who still reads would make it again.
    db.close();
    return false;
  });
  return db;
}

/**
 * - `lastUserId`: who was signed in last; their cache is shown at the next start
 * - `signedOut`: the server still has to be told that they logged out
 * - `clockOffsetMs`: how far the server's clock is ahead of this device's
 */
type DeviceEntry = { key: 'lastUserId' | 'signedOut' | 'clockOffsetMs'; value: number };

/** What the device knows whoever is signed in. */
export type DeviceDb = Dexie & { entries: EntityTable<DeviceEntry, 'key'> };

/** The user who was signed in last on this device and has not logged out; null for nobody. */
export async function signedInUserId(device: DeviceDb): Promise<number | null> {
  const [signedOut, last] = await device.entries.bulkGet(['signedOut', 'lastUserId']);
  return signedOut === undefined ? (last?.value ?? null) : null;
}

export function openDeviceDb(prefix: string): DeviceDb {
  const db = new Dexie(`${prefix}-device`) as DeviceDb;
  db.version(1).stores({ entries: 'key' });
  return db;
}
