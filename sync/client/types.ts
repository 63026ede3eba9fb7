import type { User } from '#shared/accounts/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { Lane } from '#sync/operations/operation.ts';
import type { NewOperation, Op } from '#sync/operations/registry.ts';
import type { OpError } from '#sync/protocol/op.ts';
import type { ConnectionState } from './connection.ts';
import type { UserDb } from './db.ts';
import type { Observable } from './observable.ts';

/** Why the engine could not do what it was asked to: by its error's `code`, since the app loads its classes late. */
export type EngineErrorCode =
  | 'signed_out'
  | 'unreachable'
  | 'storage_full'
  | 'outbox_full'
  | 'poll_already_sent'
  | 'time_limit'
  | 'given_up';

/** No user's database is open. */
export class SignedOutError extends Error {
  override name = 'SignedOutError';
  readonly code: EngineErrorCode = 'signed_out';
}

/** One HTTP exchange. `body` null means an answer that is not JSON. */
export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | FormData | null;
  timeoutMs: number;
};
export type TransportAnswer = { status: number; headers: Headers; body: unknown };

/** Sends one request; rejects with `NetworkFailure` when no complete answer came back. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

export class NetworkFailure extends Error {
  override name = 'NetworkFailure';
  readonly code: EngineErrorCode = 'unreachable';
}

/** Milliseconds since 1970 and cancellable timers, by this device's clock. */
export type Clock = { now(): number; setTimeout(run: () => void, delayMs: number): () => void };

/**
 * Locks by name. `spansTabs` tells whether they are shared by all tabs and the service worker; otherwise each tab has its
 * own. The locks of a tab that is gone are free, those of a suspended tab are not.
 */
export type Lock = {
  readonly spansTabs: boolean;
  /** Runs `job` unless somebody else holds `name` already; tells whether it ran. */
  run(name: string, job: () => Promise<void>): Promise<boolean>;
  /** The names of all locks that are held now, as far as they are shared. */
  heldNames(): Promise<ReadonlySet<string>>;
};

/** Tells the other tabs of this device that somebody logged in or out, and hears it from them. */
export type SessionChannel = { announce(): void; listen(listener: () => void): void };

/** A two-way connection to the server; what is sent before it is open or after it closed is lost. */
export type Socket = { send(text: string): void; close(): void };

/** What happens to a socket. `closed` comes once, with the code of RFC 6455. */
export type SocketEvents = { opened(): void; heard(text: string): void; closed(code: number): void };

/** What the browser says and does about the room on this device. */
export type StorageManager = {
  /** Asks the browser never to clear this app's data by itself. */
  persist(): Promise<void>;
  /** Bytes that may still be stored, null when the browser does not tell. */
  freeBytes(): Promise<number | null>;
  /** Lets go of cached images; they can be fetched again. */
  dropImages(): Promise<void>;
};

/** What is known of this device where the browser does not clear it along with the app's storage. */
export type DeviceNote = {
  /** Whether the app has been used in this browser before. */
  hasBeenUsed(): boolean;
  /** How many changes waited to be sent, and whose; null when that is not known. */
  readWaiting(): { userId: number; count: number } | null;
  noteWaiting(userId: number, count: number): void;
  /** What was removed from this device and nobody has been told of; `unclear` until it is known whose it was. */
  readEviction(): Eviction | 'unclear' | null;
  noteEviction(eviction: Eviction | 'unclear' | null): void;
};

/**
 * The browser has removed a user's data from this device without being asked. `lostChanges`: how many changes were lost
 * with it, null when that is not known.
 */
export type Eviction = { userId: number; lostChanges: number | null };

/** The abilities of the browser that the engine needs; tests bring their own. */
export type Capabilities = {
  transport: Transport;
  clock: Clock;
  lock: Lock;
  tabs: SessionChannel;
  storage: StorageManager;
  /** Opens a socket to a path of the server; tells nothing before it has returned. */
  openSocket(path: string, events: SocketEvents): Socket;
  /** Asks the browser to let the service worker send what waits, even when no page is open. */
  requestBackgroundDrain(): void;
  deviceNote: DeviceNote;
  /** Whether the browser believes to have a network. */
  isOnline(): boolean;
  /** How the names of this device's databases begin. */
  databasePrefix: string;
  /** A number from 0 up to 1. */
  random(): number;
};

/**
 * Who the app belongs to now.
 * - `loading`: nothing is known yet (a device without a cache waits for the server)
 * - `visitor`: nobody is signed in
 * - `storage_blocked`: another tab, of an older version or suspended, keeps the device's data from being opened
 * - `user`: signed in, or last signed in on this device; `needsLogin` means that the session has ended while
 *   caches and queue stay
 */
export type Session =
  | { status: 'loading' }
  | { status: 'visitor' }
  | { status: 'storage_blocked' }
  | { status: 'user'; user: User; db: UserDb; needsLogin: boolean };

/**
 * What the screen may want to say about an op. `isNew` is false when the server had the poll of a creation already and
 * left it as it was.
 */
export type EngineEvent =
  | { type: 'applied'; op: Op; poll: Poll | null; isNew: boolean }
  | { type: 'rejected'; op: Op; error: OpError }
  | { type: 'delayed'; op: Op };

/**
 * `times`: how often in a row the lane met a server in trouble. `behindSeq`: the op that met it last, until it is
 * answered; all others come before it, so that an op which always fails holds up nobody. `notBeforeMs`: when the server
 * wants to be asked again. `blocks`: how often in a row the session was refused.
 */
export type LaneTrouble = { times: number; behindSeq: number; notBeforeMs: number; blocks: number };

/** What a drain works with. `tabId` names this tab or worker; it begins the names of the owners of its leases. */
export type DrainContext = Pick<Capabilities, 'transport' | 'clock' | 'lock' | 'random' | 'isOnline'> & {
  storage: Pick<StorageManager, 'dropImages'>;
  db: UserDb;
  userId: number;
  tabId: string;
  /** What a lane has met of late: kept by who drains, from one drain to the next. */
  trouble: Record<Lane, LaneTrouble>;
  /** Whether this user is still signed in on this device. */
  isSignedIn(): Promise<boolean>;
  emit(event: EngineEvent): void;
  /** Called with every answer (null: none came), so that the server's clock can be learnt. */
  onAnswer(answer: TransportAnswer | null): void;
  /** Called when the session turned out to have ended or to be another user's. */
  onBlocked(): void;
};

/** One drain of a lane. `owner` stands in its leases; `lane` is what it drains. */
export type Drain = DrainContext & { owner: string; lane: Lane };

export type ImageInput = { bytes: ArrayBuffer; mime: string; width: number; height: number };

/** A poll as the create dialog hands it over. `durationDays` in whole days. */
export type PollDraft = {
  question: string;
  option1Caption: string;
  option2Caption: string;
  durationDays: number;
  responsesWanted: number;
  images: readonly [ImageInput, ImageInput];
  /** Made with the draft, so that a draft handed in twice is one poll; absent: made when it is queued. */
  pollId?: string;
};

/** How a pull from the server ended: `unchanged` is a 304. */
export type PullResult = 'updated' | 'unchanged' | 'unreachable' | 'signed_out' | 'gone' | 'failed';

export type Engine = {
  readonly session: Observable<Session>;
  /** What the browser has removed from this device, as told in this tab; null for nothing. */
  readonly eviction: Observable<Eviction | null>;
  /** What is known of the way to the server. */
  readonly connection: Observable<ConnectionState>;
  /** Subscribes to outcomes of ops; returns the way to stop. */
  onEvent(listener: (event: EngineEvent) => void): () => void;
  /** Shows the last user's cache at once, asks the server who is signed in, and starts draining. */
  start(): Promise<void>;
  /** After a login, a registration or a change of the account: this is the user now. */
  signedIn(user: User): Promise<void>;
  /** Asks the server who is signed in, and as what they are now; an unreachable server changes nothing. */
  refreshUser(): Promise<void>;
  /**
   * Ends the session here and, as soon as it can be reached, on the server. `waiting` says what becomes of
   * changes that have not been sent: kept for this account, or discarded; of the latter only those in `shown` (op ids)
   * if given, since another tab may have stored more by now.
   */
  logOut(waiting: 'keep' | 'discard', shown?: readonly string[]): Promise<void>;
  /** Tells the server of a log out that it has not heard of: before somebody logs in. False while it cannot be told. */
  finishLogOut(): Promise<boolean>;
  /** Queues an operation about a poll; resolves once it is stored on this device. */
  queue(operation: NewOperation): Promise<void>;
  /**
   * Queues a poll with its images; resolves with the poll's id once it is stored on this device. The refused
   * op `replacesOpId` leaves the queue in the same transaction.
   */
  createPoll(draft: PollDraft, replacesOpId?: string): Promise<string>;
  /** Removes a refused or waiting op and its images; false for one that is still on its way after three seconds. */
  discard(opId: string): Promise<boolean>;
  /** Queues a refused op again under a new id. */
  tryAgain(opId: string): Promise<void>;
  /** Sends a waiting op now, however long it should still wait. */
  tryNow(opId: string): Promise<void>;
  /** Page 1 of the feed, replacing what is shown. */
  pullFeed(): Promise<PullResult>;
  /** The next page of the feed, appended. */
  pullMoreFeed(): Promise<PullResult>;
  pullTrending(): Promise<PullResult>;
  pullMine(): Promise<PullResult>;
  pullPoll(pollId: string): Promise<PullResult>;
  /** Whether polls were made that no load of page 1 has brought; `pullFeed` clears it, the list never moves by itself. */
  readonly hasNewPolls: Observable<boolean>;
  /**
   * A poll is on the screen: while it is, its results are fetched again when votes have made them old. Returns the
   * way to stop.
   */
  watchPoll(pollId: string): () => void;
  /** The page can be seen, or not any more: a socket is opened only while it can. */
  setVisible(isVisible: boolean): void;
  /** Now by the server's clock, in milliseconds since 1970. */
  serverNow(): number;
  /** Calls `listener` when that clock turns out to show something else; returns the way to stop. */
  onServerClock(listener: () => void): () => void;
  /** Tries to send what waits, now. */
  drain(): void;
  /** The browser says that it is offline: asks the server, and again while it says so. */
  wentOffline(): void;
  /** There may be a signal again, or the person asks: tries the server and sends what waits. */
  tryConnection(): void;
};
