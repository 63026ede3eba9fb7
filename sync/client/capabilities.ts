/** An HTTP request and its response. The `body` of a response is parsed JSON, or null if the response is not JSON. */
export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | FormData | null;
  timeoutMs: number;
};
export type TransportResponse = { status: number; headers: Headers; body: unknown };

/** Sends a request. Rejects with `NetworkFailure` if there is no complete response. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The device's clock. `now`: milliseconds since 1970. `setTimeout` returns the function that cancels the timer. */
export type Clock = { now(): number; setTimeout(run: () => void, delayMs: number): () => void };

/**
 * Named locks. `spansTabs`: whether all tabs and the service worker share the locks; otherwise each tab has its own. Closing a
 * tab releases its locks, suspending it does not.
 */
export type Lock = {
  readonly spansTabs: boolean;
  /** Runs `job` under the lock unless the lock is held already; resolves with whether `job` ran. */
  run(name: string, job: () => Promise<void>): Promise<boolean>;
  /** The names of all locks that are held. */
  heldNames(): Promise<ReadonlySet<string>>;
};

/** Announces logins, logouts and evictions to the other tabs of this device, which then check what has changed. */
export type SessionChannel = { announce(): void; listen(listener: () => void): void };

/** A connection to the server; messages sent while it is not open are lost. */
export type Socket = { send(text: string): void; close(): void };

/** Event handlers of a socket. `received` is called with the text of a message, `closed` once with a close code (RFC 6455). */
export type SocketEvents = { opened(): void; received(text: string): void; closed(code: number): void };

/** The storage of this device. */
export type StorageManager = {
  /** Asks the browser for persistent storage. */
  persist(): Promise<void>;
  /** The free space in bytes; null if the browser gives no estimate. */
  freeBytes(): Promise<number | null>;
  /** Deletes cached images; they can be fetched again. */
  dropImages(): Promise<void>;
};

/** Notes about this device that survive when the browser evicts the app's storage. */
export type DeviceNote = {
  /** Whether somebody has used the app with this browser before, while logged in. */
  hasBeenUsed(): boolean;
  /** False if nobody has ever logged in with this browser. */
  mayHaveSession(): boolean;
  /** The number of changes in the outbox and the user who made them; null if unknown. */
  readWaiting(): { userId: number; count: number } | null;
  noteWaiting(userId: number, count: number): void;
  /** The eviction that has not been reported yet, if any; `unclear` until it is known whose data was lost. */
  readEviction(): Eviction | 'unclear' | null;
  noteEviction(eviction: Eviction | 'unclear' | null): void;
};

/** The browser has evicted a user's data. `lostChanges`: how many changes were lost; null if unknown. */
export type Eviction = { userId: number; lostChanges: number | null };

/** The browser features that the engine needs; tests pass fakes. */
export type Capabilities = {
  transport: Transport;
  clock: Clock;
  lock: Lock;
  tabs: SessionChannel;
  storage: StorageManager;
  /** Opens a socket to a path of the server. Calls no event handler before it has returned. */
  openSocket(path: string, events: SocketEvents): Socket;
  /** Asks the browser to wake the service worker later to send waiting changes, even if no page is open. */
  requestBackgroundDrain(): void;
  deviceNote: DeviceNote;
  /** Whether the browser reports that it is online. */
  isOnline(): boolean;
  /** The prefix of this device's database names. */
  databasePrefix: string;
  /** A random number from 0 (included) to 1 (excluded). */
  random(): number;
};
