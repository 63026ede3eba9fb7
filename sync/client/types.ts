import type { User } from '#shared/accounts/schema.ts';
import type { SearchSort } from '#shared/explore/constants.ts';
import type { SearchPage } from '#shared/explore/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { Lane } from '#sync/operations/operation.ts';
import type { NewOperation, Op } from '#sync/operations/registry.ts';
import type { OpError } from '#sync/protocol/op.ts';
import type { ConnectionState } from './connection.ts';
import type { UserDb } from './db.ts';
import type { Observable } from './observable.ts';

/** The `code` of the engine's errors; the app checks it because it loads the error classes lazily. */
export type EngineErrorCode =
  | 'signed_out'
  | 'unreachable'
  | 'storage_full'
  | 'outbox_full'
  | 'poll_already_sent'
  | 'time_limit'
  | 'given_up';

/** Nobody is logged in. */
export class SignedOutError extends Error {
  override name = 'SignedOutError';
  readonly code: EngineErrorCode = 'signed_out';
}

/** An HTTP request and its answer. A null `body` of an answer means that it is not JSON. */
export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | FormData | null;
  timeoutMs: number;
};
export type TransportAnswer = { status: number; headers: Headers; body: unknown };

/** Sends a request; rejects with `NetworkFailure` without a complete answer. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

export class NetworkFailure extends Error {
  override name = 'NetworkFailure';
  readonly code: EngineErrorCode = 'unreachable';
}

/** The device's clock: milliseconds since 1970, and timers with a function to cancel them. */
export type Clock = { now(): number; setTimeout(run: () => void, delayMs: number): () => void };

/**
 * Named locks. `spansTabs`: shared by all tabs and the service worker; otherwise each tab has its own. Closing a tab frees its
 * locks, suspending it does not.
 */
export type Lock = {
  readonly spansTabs: boolean;
  /** Runs `job` unless `name` is held already; returns whether it ran. */
  run(name: string, job: () => Promise<void>): Promise<boolean>;
  /** The names of all locks that are held. */
  heldNames(): Promise<ReadonlySet<string>>;
};

/** Announces logins and log outs between the tabs of this device. */
export type SessionChannel = { announce(): void; listen(listener: () => void): void };

/** A connection to the server; messages sent while it is not open are lost. */
export type Socket = { send(text: string): void; close(): void };

/** The events of a socket. `closed` occurs once, with a code of RFC 6455. */
export type SocketEvents = { opened(): void; heard(text: string): void; closed(code: number): void };

/** The storage of this device. */
export type StorageManager = {
  /** Asks the browser for persistent storage. */
  persist(): Promise<void>;
  /** The bytes that may still be stored; null when the browser gives no estimate. */
  freeBytes(): Promise<number | null>;
  /** Deletes cached images; they can be fetched again. */
  dropImages(): Promise<void>;
};

/** Facts about this device that survive when the browser evicts the app's storage. */
export type DeviceNote = {
  /** Whether the app has been used in this browser before. */
  hasBeenUsed(): boolean;
  /** False if nobody has ever logged in in this browser. */
  mayHaveSession(): boolean;
  /** The number of waiting changes and their user; null when unknown. */
  readWaiting(): { userId: number; count: number } | null;
  noteWaiting(userId: number, count: number): void;
  /** An eviction that was not reported yet; `unclear` until its user is known. */
  readEviction(): Eviction | 'unclear' | null;
  noteEviction(eviction: Eviction | 'unclear' | null): void;
};

/** The browser has deleted a user's data on its own. `lostChanges`: how many changes were lost; null when unknown. */
export type Eviction = { userId: number; lostChanges: number | null };

/** The browser features that the engine needs; tests pass fakes. */
export type Capabilities = {
  transport: Transport;
  clock: Clock;
  lock: Lock;
  tabs: SessionChannel;
  storage: StorageManager;
  /** Opens a socket to a path of the server; emits no event before it has returned. */
  openSocket(path: string, events: SocketEvents): Socket;
  /** Asks the browser to let the service worker send what waits, even with no page open. */
  requestBackgroundDrain(): void;
  deviceNote: DeviceNote;
  /** Whether the browser reports a network. */
  isOnline(): boolean;
  /** The prefix of this device's database names. */
  databasePrefix: string;
  /** A number from 0 up to 1. */
  random(): number;
};

/**
 * The session of the app.
 * - `loading`: unknown (a device without a cache waits for the server)
 * - `visitor`: nobody is logged in
 * - `storage_blocked`: another tab (suspended, or of an older version) blocks the database
 * - `user`: logged in, or last logged in on this device; `needsLogin`: the session has ended, cache and outbox stay
 */
export type Session =
  | { status: 'loading' }
  | { status: 'visitor' }
  | { status: 'storage_blocked' }
  | { status: 'user'; user: User; db: UserDb; needsLogin: boolean };

/** An outcome of an op, for the screen. `isNew` is false when the server already had the created poll. */
export type EngineEvent =
  | { type: 'applied'; op: Op; poll: Poll | null; isNew: boolean }
  | { type: 'rejected'; op: Op; error: OpError }
  | { type: 'delayed'; op: Op };

/**
 * The backoff of a lane. `failures`: how often in a row the server did not answer or could not serve. `behindSeq`: the op
 * that failed last; all others come before it, so that an op that always fails delays nobody. `notBeforeMs`: when the server
 * wants the next request. `authFailures`: how often in a row the session was refused.
 */
export type LaneBackoff = { failures: number; behindSeq: number; notBeforeMs: number; authFailures: number };

/** The context of a drain. `tabId` identifies this tab or worker and is the prefix of its lease owners. */
export type DrainContext = Pick<Capabilities, 'transport' | 'clock' | 'lock' | 'random' | 'isOnline'> & {
  storage: Pick<StorageManager, 'dropImages'>;
  db: UserDb;
  userId: number;
  tabId: string;
  /** The backoff of each lane, kept by the caller from one drain to the next. */
  backoff: Record<Lane, LaneBackoff>;
  /** Whether this user is still logged in on this device. */
  isSignedIn(): Promise<boolean>;
  emit(event: EngineEvent): void;
  /** Called with every answer; null when there was none. */
  onAnswer(answer: TransportAnswer | null): void;
  /** Called when the session has ended or is another user's. */
  onBlocked(): void;
};

/** A drain of `lane`; `owner` identifies its leases. */
export type Drain = DrainContext & { owner: string; lane: Lane };

export type ImageInput = { bytes: ArrayBuffer; mime: string; width: number; height: number };

/** A poll as the create dialog submits it. `durationDays` in whole days. */
export type PollDraft = {
  question: string;
  option1Caption: string;
  option2Caption: string;
  durationDays: number;
  responsesWanted: number;
  images: readonly [ImageInput, ImageInput];
  /** Created with the draft, so that a draft submitted twice is one poll; by default created when it is queued. */
  pollId?: string;
};

/** The result of a pull from the server; `unchanged` after a 304. */
export type PullResult = 'updated' | 'unchanged' | 'unreachable' | 'signed_out' | 'gone' | 'failed';

/** A search for polls; `cursor` is that of the page before. */
export type SearchQuery = { q: string; sort: SearchSort; cursor: string | null };

export type Engine = {
  readonly session: Observable<Session>;
  /** An eviction reported in this tab, or null. */
  readonly eviction: Observable<Eviction | null>;
  readonly connection: Observable<ConnectionState>;
  /** Subscribes to outcomes of ops; returns the function that unsubscribes. */
  onEvent(listener: (event: EngineEvent) => void): () => void;
  /** Shows the last user's cache at once, asks the server who is logged in, and starts draining. */
  start(): Promise<void>;
  /** Sets the logged-in user after a login, a registration or a change of the account. */
  signedIn(user: User): Promise<void>;
  /** Fetches the logged-in user; an unreachable server changes nothing. */
  refreshUser(): Promise<void>;
  /**
   * Ends the session on this device and, once it can be reached, on the server. Waiting changes are kept for this account or
   * discarded, in the latter case only those in `shown` (op ids) if given: another tab may have stored more.
   */
  logOut(waiting: 'keep' | 'discard', shown?: readonly string[]): Promise<void>;
  /** Tells the server of a pending log out, before the next login. False when it could not be told. */
  finishLogOut(): Promise<boolean>;
  /** Queues an operation; resolves once it is stored on this device. */
  queue(operation: NewOperation): Promise<void>;
  /**
   * Queues a poll with its images; resolves with the poll's id once it is stored on this device. Removes the refused op
   * `replacesOpId` in the same transaction.
   */
  createPoll(draft: PollDraft, replacesOpId?: string): Promise<string>;
  /** Removes a refused or waiting op and its images; false if it is being sent. */
  discard(opId: string): Promise<boolean>;
  /** Queues a refused op again under a new id. */
  tryAgain(opId: string): Promise<void>;
  /** Sends a waiting op now, whatever its delay. */
  tryNow(opId: string): Promise<void>;
  /** Loads page 1 of the feed, which replaces the list. */
  pullFeed(): Promise<PullResult>;
  /** Loads and appends the next page of the feed. */
  pullMoreFeed(): Promise<PullResult>;
  pullTrending(): Promise<PullResult>;
  pullMine(): Promise<PullResult>;
  pullPoll(pollId: string): Promise<PullResult>;
  /** Loads the users whom the user has blocked. */
  pullBlocks(): Promise<PullResult>;
  /** Loads the newest entries of the ledger. */
  pullActivity(): Promise<PullResult>;
  /** Loads and appends the entries before the oldest stored one. */
  pullMoreActivity(): Promise<PullResult>;
  /** Loads the first page of the deck, which replaces it except for the polls `shown` on the screen. */
  pullDeck(shown: readonly string[]): Promise<PullResult>;
  /** Loads and appends the next page of the deck. */
  pullMoreDeck(): Promise<PullResult>;
  /** Loads the newest notifications. */
  pullNotifications(): Promise<PullResult>;
  /** Loads and appends the notifications before the oldest stored one. */
  pullMoreNotifications(): Promise<PullResult>;
  /** A page of the polls that a search finds, which needs the server; or why there is none. The polls enter the cache. */
  search(query: SearchQuery): Promise<SearchPage | PullResult>;
  /** Whether there are new polls since the last load of page 1. `pullFeed` clears it; the list never moves by itself. */
  readonly hasNewPolls: Observable<boolean>;
  /**
   * Fetches the results of a poll on the screen again when votes have made them outdated. Returns the function that stops
   * that.
   */
  watchPoll(pollId: string): () => void;
  /** Whether the page is visible: sockets are opened only then. */
  setVisible(isVisible: boolean): void;
  /** The server's time in milliseconds since 1970. */
  serverNow(): number;
  /** Calls `listener` when the estimate of that time changes; returns the function that unsubscribes. */
  onServerClock(listener: () => void): () => void;
  /** Sends what waits. */
  drain(): void;
  /** The browser reports that it is offline: checks the connection, repeatedly while it says so. */
  wentOffline(): void;
  /** The network may be back, or the person asks: checks the connection and sends what waits. */
  tryConnection(): void;
};
