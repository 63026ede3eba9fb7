import type { DeviceDb } from '#sync/client/db.ts';
import type { Settable } from '#sync/client/observable.ts';
import type {
  Clock,
  DeviceNote,
  Session,
  SessionChannel,
  StorageManager,
  Transport,
  TransportAnswer,
} from '#sync/client/types.ts';

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
  onAnswer(answer: TransportAnswer | null): void;
  storage: Pick<StorageManager, 'dropImages'>;
  deviceNote: Pick<DeviceNote, 'mayHaveSession' | 'noteWaiting'>;
  /** Whether the device was cleared although the app was used in this browser before; true only once. */
  takeCleared(): boolean;
  /** The browser has evicted a user's data; null when nobody is logged in. */
  onEvicted(userId: number | null): void;
};
