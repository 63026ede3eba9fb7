import type { ReceivedCode } from '#shared/errors.ts';

/**
 * - `queued`: waits for its turn or its next attempt
 * - `sending`: leased by one drain, back to `queued` when the lease runs out
 * - `blocked_auth`: waits until its own user is signed in
 * - `rejected`: the server said no for good; kept with its reason until the person decides
 * - `needs_attention`: refused repeatedly with an unknown reason; kept until the person decides
 */
export type OpState = 'queued' | 'sending' | 'blocked_auth' | 'rejected' | 'needs_attention';

/**
 * Why an op was not applied. `server_replaced`: it was queued for another server than the one that answers now (see
 * `sync/client/session/server-change.ts`); that one has not been asked.
 */
export type OpError = { status: number; code: ReceivedCode | 'server_replaced'; message: string };

/**
 * An op as it is stored, whatever its operation (see `sync/operations/`), of which `type` is the name.
 */
export type QueuedOp<Payload = unknown> = {
  type: string;
  payload: Payload;
  /** Auto-increment; the only order there is. */
  seq: number;
  /** Made once; the Idempotency-Key of every attempt. */
  opId: string;
  userId: number;
  schemaVersion: number;
  /** Fixed when the op was queued. Absent in ops of the first release, whose payload tells it. */
  request?: QueuedRequest;
  /** The poll that the op is about. */
  entityId: string;
  state: OpState;
  attempts: number;
  /** How often an answer came that this version does not understand. */
  refusals?: number;
  /** How often an upload failed on the way although something answered, or after a long time. */
  failedUploads?: number;
  /**
   * When the op was first leased to be sent, in milliseconds since 1970; see `isNeverSent`. Ops of the first release do not
   * have it.
   */
  firstLeasedAt?: number | null;
  /** A tab that had leased it was gone or suspended, and may still hold the lock of its sending. */
  wasTakenOver?: boolean;
  /** Sent again under its old key because a restored server has lost it; its success is no news. */
  isRepeated?: boolean;
  /** Milliseconds since 1970 by this device's clock. */
  nextAttemptAt: number;
  leaseOwner: string | null;
  leaseUntil: number;
  lastError: OpError | null;
  createdAt: number;
};

/**
 * Whether the server cannot have an op: no tab has leased it, or the device had no network whenever one did. The first
 * release leases without a note, but leaves `leaseUntil`.
 */
export function isNeverSent({ firstLeasedAt, leaseUntil }: QueuedOp): boolean {
  return firstLeasedAt === null && leaseUntil === 0;
}

/** What a lease says again once it is certain that the op was not sent under it. */
export const NEVER_SENT = { firstLeasedAt: null, leaseUntil: 0 } as const;

/**
 * What an op asks of the server (`POST` unless it says so), apart from its headers and images. It is fixed when the op
 * is queued: an update of the app must not change a request whose key the server may know already.
 */
export type QueuedRequest =
  | { method?: 'POST' | 'PUT'; path: string; kind: 'json'; body: string }
  | { path: string; kind: 'form'; fields: readonly (readonly [name: string, value: string])[] };
