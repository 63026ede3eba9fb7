import type { User } from '#shared/accounts/schema.ts';
import type {
  Clock,
  DeviceNote,
  SessionChannel,
  StorageManager,
  Transport,
  TransportResponse,
} from '#sync/client/capabilities.ts';
import type { DeviceDb, UserDb } from '#sync/client/db.ts';
import type { Settable } from '#sync/client/observable.ts';

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

/** What the session of a tab works with. */
export type SessionContext = {
  transport: Transport;
  clock: Clock;
  device: DeviceDb;
  session: Settable<Session>;
  tabs: SessionChannel;
  databasePrefix: string;
  /** Raised by every login and log out, here or in another tab: answers to earlier requests no longer count. */
  generation: number;
  onResponse(response: TransportResponse | null): void;
  storage: Pick<StorageManager, 'dropImages'>;
  deviceNote: Pick<DeviceNote, 'mayHaveSession' | 'noteWaiting'>;
  /** Whether the device was cleared although the app was used in this browser before; true only once. */
  takeCleared(): boolean;
  /** The browser has evicted a user's data; null when nobody is logged in. */
  onEvicted(userId: number | null): void;
};
