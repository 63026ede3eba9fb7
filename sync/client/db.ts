import { Dexie, type EntityTable, type Table } from 'dexie';
import type { User } from '#shared/accounts/schema.ts';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import type { Notification } from '#shared/notifications/schema.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { ImageInput } from '#sync/client/outbox/poll-draft.ts';
import type { VisibilityChange } from '#sync/operations/operation.ts';
import type { Op } from '#sync/operations/registry.ts';

/** An image of a queued poll. Stored as bytes, because iOS loses Blobs in IndexedDB. */
export type OpBlob = ImageInput & { opId: string; slot: Option; sha256: string };

/**
 * An entry of a list of polls; lower positions come first. The polls of the server have positions from 0 on, polls created on
 * this device negative ones until a read contains them. `ackedAt`: when the server acknowledged a poll created on this device
 * (milliseconds since 1970); a read that started earlier may not contain the poll.
 */
export type ListEntry = { pollId: string; position: number; ackedAt?: number };

/**
 * Metadata of a list. `fetchedAt`: when the latest successful read of its beginning was started (milliseconds since 1970).
 */
export type ListMeta = {
  list: 'feed' | 'mine' | 'trending' | 'deck' | 'activity' | 'notifications';
  fetchedAt: number;
  etag: string | null;
  /** The build of the app that has stored the polls of `etag`. */
  buildId?: string | undefined;
  nextCursor: string | null;
  hasMore: boolean;
  /** The number of unread notifications, on all pages of the server. */
  unread?: number;
  /** The id up to which notifications are known to be read, on whichever device they were read. */
  readUpTo?: number;
};

/**
 * The latest complete user from the server. `pointsRev`: the revision of `points`, if a later live update contained a newer
 * value.
 */
export type CachedUser = User & { pointsRev?: number };

/** The latest poll from the server. `areResultsOld`: `results` may be outdated, because a vote was changed later. */
export type CachedPoll = Poll & { areResultsOld?: boolean };

/** An op that the server acknowledged at `acknowledgedAt` (milliseconds since 1970), with its images. */
export type AcknowledgedOp = { opId: string; acknowledgedAt: number; op: Op; blobs: OpBlob[] };

/**
 * A poll or maker that the user has hidden or shown again, as confirmed by the server at `ackedAt` (milliseconds since 1970).
 */
export type HiddenEntry = VisibilityChange & { ackedAt: number };

/** The account and the server that the ops of this database belong to. Survives a logout, as the ops do. */
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

/** Returns the database of a user. It is opened, and created if it does not exist yet, by the first access. */
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
    // The database is being deleted, for example by a tab of an earlier version that logs out. It is closed permanently,
    // because a read would create it again. `false` prevents Dexie's own handler, which would let a read open it.
    db.close();
    return false;
  });
  return db;
}

/**
 * An entry of the device's database, by key:
 * - `lastUserId`: the id of the user who was logged in last; their cache is shown at the next start
 * - `signedOut`: a logout that the server has not been notified of yet; the value is random and differs for each logout
 * - `sessionEndedAt`: when this device first noticed that the session of `lastUserId` had ended (milliseconds since 1970)
 * - `clockOffsetMs`: by how many milliseconds the server's clock is ahead of this device's
 * - `homeSnapshot`: the snapshot of the Polls tab; the value is the id of its user
 * - `logOut <user id> <uuid>`: a logout after which the user's database has not been emptied yet; the value is the user's id
 */
export type DeviceEntry = {
  key:
    | 'lastUserId'
    | 'signedOut'
    | 'sessionEndedAt'
    | 'clockOffsetMs'
    | 'homeSnapshot'
    | `logOut ${number} ${string}`;
  value: number;
  /** The HTML of the snapshot. `look` identifies the build and the layout (phone or desktop) that the snapshot shows. */
  html?: string;
  look?: string;
  logOut?: LogOutChoice;
};

/**
 * What a logout does with waiting ops. `shown`: the ids of the ops that the user saw and agreed to discard; undefined for all.
 */
type LogOutChoice = { waiting: 'keep' | 'discard'; shown: readonly string[] | undefined };

/** The database that all users of this device share. */
export type DeviceDb = Dexie & { entries: EntityTable<DeviceEntry, 'key'> };

/** Reads the id of the user who was logged in last on this device and has not logged out; null if there is none. */
export async function loggedInUserId(device: DeviceDb): Promise<number | null> {
  const [signedOut, last] = await device.entries.bulkGet(['signedOut', 'lastUserId']);
  return signedOut === undefined ? (last?.value ?? null) : null;
}

/** Returns the database of the device, which stores who is logged in. It is opened by the first access. */
export function openDeviceDb(prefix: string): DeviceDb {
  // Strict durability, because a stored logout must take place even after a crash.
  const db = new Dexie(`${prefix}-device`, { chromeTransactionDurability: 'strict' }) as DeviceDb;
  db.version(1).stores({ entries: 'key' });
  return db;
}
