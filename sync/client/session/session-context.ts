import type { User } from '#shared/accounts/schema.ts';
import type { Capabilities } from '#sync/client/capabilities.ts';
import type { DeviceDb, UserDb } from '#sync/client/db.ts';
import type { WritableObservable } from '#sync/client/observable.ts';

/**
 * The session of the app.
 * - `loading`: unknown until the server responds (on a device without a cache)
 * - `visitor`: nobody is logged in
 * - `storage_blocked`: another tab (suspended, or of an older version) blocks the database
 * - `user`: logged in, or last logged in on this device; `needsLogin`: the session has ended; cache and outbox are kept
 */
export type Session =
  | { status: 'loading' }
  | { status: 'visitor' }
  | { status: 'storage_blocked' }
  | UserSession;
export type UserSession = { status: 'user'; user: User; db: UserDb; needsLogin: boolean };

/** The dependencies and the state of a tab's session. */
export type SessionContext = Pick<
  Capabilities,
  'transport' | 'clock' | 'tabs' | 'storage' | 'deviceNote' | 'databasePrefix'
> & {
  device: DeviceDb;
  session: WritableObservable<Session>;
  /** Incremented when this tab logs in or out or learns of it from another tab: responses to earlier requests are ignored. */
  generation: number;
  /** The logout that is being sent to the server. */
  notifying: Promise<boolean> | null;
  /** Until then no check sends the pending logout: a login may be under way, and the response would delete its cookie. */
  loginUntilMs: number;
  /** Returns whether the browser has cleared the device's database although the app was used before, and resets this. */
  takeCleared(): boolean;
  /** Called when the browser has evicted a user's data; null if nobody is logged in. */
  onEvicted(userId: number | null): void;
};
