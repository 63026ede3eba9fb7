import { Dexie, type EntityTable, type Table } from 'dexie';
import type { User } from '#shared/accounts/schema.ts';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import type { Notification } from '#shared/notifications/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { Hiding } from '#sync/operations/operation.ts';
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
 * An entry of a list of polls; lower positions come first. `ackedAt` is when the server acknowledged a poll created on this
 * device (milliseconds since 1970): reads that started before may lack it.
 */
export type ListEntry = { pollId: string; position: number; ackedAt?: number };

/** Metadata of a list. Times are milliseconds since 1970. */
export type ListMeta = {
  list: 'feed' | 'mine' | 'trending' | 'deck' | 'activity' | 'notifications';
  fetchedAt: number;
  etag: string | null;
  nextCursor: string | null;
  hasMore: boolean;
  /** The number of unread notifications, of all pages. */
  unread?: number;
  /** The id up to which this device has marked notifications as read. */
  readUpTo?: number;
};

/**
 * The last full user from the server. `pointsRev` is the revision of `points` if a live update has brought a newer value
 * since.
 */
export type CachedUser = User & { pointsRev?: number };

/** The last poll from the server. `areResultsOld`: votes have changed since without a change of their number. */
export type CachedPoll = Poll & { areResultsOld?: boolean };

/** An op that the server acknowledged at `acknowledgedAt` (milliseconds since 1970), with its images. */
export type AcknowledgedOp = { opId: string; acknowledgedAt: number; op: Op; blobs: OpBlob[] };

/** What the server has confirmed to be hidden or shown again, at `ackedAt` (milliseconds since 1970). */
export type HiddenEntry = Hiding & { ackedAt: number };

/** The account and the server that the ops of this database belong to. Survives a log out, as the ops do. */
export type KnownAccount = Pick<User, 'id' | 'createdAt' | 'referralCode' | 'epoch'>;

/**
 * The database of one user on this device. `polls`, the lists, `user`, `hidden`, `activity` and `notifications` contain
 * confirmed data only.
 */
export type UserDb = Dexie & {
  ops: EntityTable<Op, 'seq'>;
  opBlobs: Table<OpBlob, [string, number]>;
  acknowledged: EntityTable<AcknowledgedOp, 'opId'>;
  account: EntityTable<KnownAccount, 'id'>;
  polls: EntityTable<CachedPoll, 'id'>;
  feed: EntityTable<ListEntry, 'pollId'>;
  mine: EntityTable<ListEntry, 'pollId'>;
  trending: EntityTable<ListEntry, 'pollId'>;
  deck: EntityTable<ListEntry, 'pollId'>;
  listMeta: EntityTable<ListMeta, 'list'>;
  user: EntityTable<CachedUser, 'id'>;
  hidden: EntityTable<HiddenEntry, 'key'>;
  activity: EntityTable<ActivityEntry, 'id'>;
  notifications: EntityTable<Notification, 'id'>;
};

/** The prefix of database names in a real browser. */
export const DATABASE_PREFIX = 'this-or-that';

/** Opens (and on first use creates) the database of a user. */
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
  db.version(3).stores({ hidden: 'key' });
  db.version(4).stores({ activity: 'id' });
  db.version(5).stores({ notifications: 'id' });
  db.version(6).stores({ deck: 'pollId, position' });
  db.on('versionchange', ({ newVersion }) => {
    if (newVersion !== null) return;
    // Deleted, for example by a tab of an earlier version that logs out: closed for good, or a read would create it again.
    db.close();
    return false;
  });
  return db;
}

/**
 * - `lastUserId`: the user who was logged in last; their cache is shown at the next start
 * - `signedOut`: the server has not been told of a log out yet
 * - `sessionEndedAt`: when it was first noticed that the session of `lastUserId` is over (milliseconds since 1970)
 * - `clockOffsetMs`: by how much the server's clock is ahead of this device's
 * - `homeSnapshot`: what the Polls tab last looked like to the user whose id is the value
 * - `logOut <user id> <uuid>`: the user's database has not been emptied yet, as a log out has asked; the value is their id
 */
type DeviceEntry = {
  key:
    | 'lastUserId'
    | 'signedOut'
    | 'sessionEndedAt'
    | 'clockOffsetMs'
    | 'homeSnapshot'
    | `logOut ${number} ${string}`;
  value: number;
  /** Of the snapshot: its HTML, and the build and layout that it shows. */
  html?: string;
  look?: string;
  logOut?: LogOutChoice;
};

/** What becomes of the waiting ops at a log out. `shown`: the ids of those that the person has seen and discards; undefined for all. */
type LogOutChoice = { waiting: 'keep' | 'discard'; shown: readonly string[] | undefined };

/** The database that all users of this device share. */
export type DeviceDb = Dexie & { entries: EntityTable<DeviceEntry, 'key'> };

/** The user who was logged in last on this device and has not logged out; null for nobody. */
export async function loggedInUserId(device: DeviceDb): Promise<number | null> {
  const [signedOut, last] = await device.entries.bulkGet(['signedOut', 'lastUserId']);
  return signedOut === undefined ? (last?.value ?? null) : null;
}

/** The database of the device, which knows who is logged in. It opens with the first access. */
export function openDeviceDb(prefix: string): DeviceDb {
  // A log out that was stored must take place.
  const db = new Dexie(`${prefix}-device`, { chromeTransactionDurability: 'strict' }) as DeviceDb;
  db.version(1).stores({ entries: 'key' });
  return db;
}
