/** An HTTP request and its response. A null `body` of a response means that it is not JSON. */
export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | FormData | null;
  timeoutMs: number;
};
export type TransportResponse = { status: number; headers: Headers; body: unknown };

/** Sends a request; rejects with `NetworkFailure` without a complete response. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

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
