import type { Capabilities, StorageManager } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { Lane } from '#sync/operations/operation.ts';

/**
 * The back-off of a lane.
 * - `failures`: how many attempts in a row failed in a way that affects the whole lane (see `scope` of `Outcome`)
 * - `lastFailedSeq`: the `seq` of the op that failed last, 0 for none; it is sent after all others, so that it does not delay
 *   them
 * - `notBeforeMs`: when the next request may be sent (milliseconds since 1970)
 * - `authFailures`: how many responses in a row said that the session had ended or belonged to another user
 */
export type LaneBackoff = {
  failures: number;
  lastFailedSeq: number;
  notBeforeMs: number;
  authFailures: number;
};

/** The context of a drain. `tabId` identifies this tab or worker and is the prefix of its lease owners. */
export type DrainContext = Pick<Capabilities, 'transport' | 'clock' | 'lock' | 'random' | 'isOnline'> & {
  storage: Pick<StorageManager, 'dropImages'>;
  db: UserDb;
  userId: number;
  tabId: string;
  /** The back-off of each lane, which the caller keeps between drains. */
  backoff: Record<Lane, LaneBackoff>;
  /** Whether this user is still logged in on this device. */
  isLoggedIn(): Promise<boolean>;
  emit(event: EngineEvent): void;
  /** Called when the session has ended or belongs to another user. */
  onBlocked(): void;
};

/** A drain of `lane`; `owner` identifies its leases. */
export type Drain = DrainContext & { owner: string; lane: Lane };
