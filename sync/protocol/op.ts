import type { ReceivedErrorCode } from '#shared/errors.ts';

/**
 * The state of an op.
 * - `queued`: waits for its turn or its next attempt
 * - `sending`: leased by one drain; may be leased again once the lease has expired
 * - `blocked_auth`: waits until its own user is logged in
 * - `rejected`: refused permanently by the server; kept with its reason until the user decides
 * - `needs_attention`: refused repeatedly for an unknown reason, or made before the server was set up from scratch; kept until
 *   the user decides
 */
export type OpState = 'queued' | 'sending' | 'blocked_auth' | 'rejected' | 'needs_attention';

/**
 * Why an op was not applied. `server_replaced`: the server that it was queued for has since been set up from scratch (see
 * `sync/client/session/server-change.ts`), and the op was not sent to the new one.
 */
export type OpError = { status: number; code: ReceivedErrorCode | 'server_replaced'; message: string };

/** A stored op. `type` is the name of its operation in `sync/operations/`. */
export type QueuedOp<Payload = unknown> = {
  type: string;
  payload: Payload;
  /** Auto-increment; defines the order of ops. */
  seq: number;
  /** The Idempotency-Key of every attempt. */
  opId: string;
  userId: number;
  /** The version of the payload. An op with a version that this app does not know waits for a newer version of the app. */
  schemaVersion: number;
  /** Fixed when the op was queued. Absent in ops of the first release, whose request is derived from the payload. */
  request?: QueuedRequest;
  /** The id of the poll that the op is about, or another key (see `entityOf` of its operation). */
  entityId: string;
  state: OpState;
  /** The number of failed attempts since the op was queued or `resetOpBackoff` last reset it. */
  attempts: number;
  /** The number of attempts with the outcome `unclear`. */
  refusals?: number;
  /** Whether an attempt that may have reached the server had the outcome `retry`, so that the server may have applied the op. */
  mayHaveTakenEffect?: boolean;
  /** The number of uploads that a gateway rejected, or that failed after a long time. */
  failedUploads?: number;
  /**
   * When the op was first leased, in milliseconds since 1970; null before that, or if that lease certainly sent nothing; absent
   * in ops of the first release. Tabs of the first release lease ops without setting it (see `isNeverSent`).
   */
  firstLeasedAt?: number | null;
  /**
   * Whether the op was leased again while `sending`: its former tab was closed, or is suspended and may still hold the lock for
   * sending this op (`sendLockName`). The op is then sent even without that lock.
   */
  wasTakenOver?: boolean;
  /**
   * Whether the op is sent again under its old key because the server was restored. The user already knows that it was applied.
   */
  isRepeated?: boolean;
  /** Whether the service worker has received the refusal of the op, and no tab has announced it yet. */
  isUnannounced?: boolean;
  /** Milliseconds since 1970 by this device's clock. */
  nextAttemptAt: number;
  leaseOwner: string | null;
  leaseUntil: number;
  lastError: OpError | null;
  createdAt: number;
};

/** Whether an op waits for the user's decision. */
export function needsDecision({ state }: Pick<QueuedOp, 'state'>): boolean {
  return state === 'rejected' || state === 'needs_attention';
}

/**
 * Whether the server cannot have received an op: it was never leased, or its lease ended without a request that left the
 * device. A tab of the first release sets only `leaseUntil`.
 */
export function isNeverSent({ firstLeasedAt, leaseUntil }: QueuedOp): boolean {
  return firstLeasedAt === null && leaseUntil === 0;
}

/** Whether an op waits and was never sent, so that another op may replace it in the queue. */
export function isWaitingUnsent(op: QueuedOp): boolean {
  return isNeverSent(op) && (op.state === 'queued' || op.state === 'blocked_auth');
}

/** The fields of a newly queued op. */
export const NOT_ATTEMPTED_FIELDS = {
  state: 'queued',
  attempts: 0,
  nextAttemptAt: 0,
  leaseOwner: null,
  leaseUntil: 0,
  lastError: null,
} as const;

/** The fields of an op that was attempted before and starts over. */
export const STARTED_OVER_FIELDS = {
  ...NOT_ATTEMPTED_FIELDS,
  refusals: 0,
  failedUploads: 0,
  mayHaveTakenEffect: false,
  wasTakenOver: false,
  isUnannounced: false,
} as const;

/** The lease fields of an op that was certainly never sent. */
export const NEVER_SENT_FIELDS = { firstLeasedAt: null, leaseUntil: 0 } as const;

/**
 * The request of an op (`POST` by default) without headers and images. Fixed when the op is queued: an update of the app
 * must not change a request whose key the server may know.
 */
export type QueuedRequest =
  | { method?: 'POST' | 'PUT'; path: string; kind: 'json'; body: string }
  | { method: 'PUT' | 'DELETE'; path: string; kind: 'empty' }
  | { path: string; kind: 'form'; fields: readonly (readonly [name: string, value: string])[] };
