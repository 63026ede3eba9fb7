import * as z from 'zod/mini';
import type { ReceivedCode } from '#shared/errors.ts';
import { pollIdSchema } from '#shared/http.ts';
import { optionSchema } from '#shared/polls/schema.ts';

/**
 * What a vote carries. The words are not sent: the outbox page shows them, also when the poll is gone or the
 * cache was cleared.
 */
export const votePayloadSchema = z.object({
  pollId: pollIdSchema,
  option: optionSchema,
  question: z.optional(z.string()),
  caption: z.optional(z.string()),
});
export type VotePayload = z.infer<typeof votePayloadSchema>;

/** What a creation carries besides its two pictures, which wait in their own table. */
export const createPollPayloadSchema = z.object({
  pollId: pollIdSchema,
  question: z.string(),
  option1Caption: z.string(),
  option2Caption: z.string(),
  durationDays: z.int(),
  responsesWanted: z.int(),
});
export type CreatePollPayload = z.infer<typeof createPollPayloadSchema>;

/**
 * The closed registry of what may be queued: lane and newest payload version of each type.
 * A lane sends one op at a time; votes never wait for an upload.
 */
export const OP_TYPES = {
  vote: { lane: 'votes', schemaVersion: 1, timeoutMs: 15_000 },
  createPoll: { lane: 'creations', schemaVersion: 1, timeoutMs: 120_000 },
} as const;

export type OpType = keyof typeof OP_TYPES;
export type Lane = (typeof OP_TYPES)[OpType]['lane'];
export const LANES: readonly Lane[] = ['votes', 'creations'];

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

type OpEnvelope = {
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
   * When the op was first leased to be sent, in milliseconds since 1970; null for one that no tab has ever leased, so that
   * the server cannot have it. Ops of the first release do not have it.
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
 * What an op asks of the server, apart from its headers and pictures. It is fixed when the op is queued: an update of the
 * app must not change a request whose key the server may know already.
 */
export type QueuedRequest =
  | { path: string; kind: 'json'; body: string }
  | { path: string; kind: 'form'; fields: readonly (readonly [name: string, value: string])[] };

export type VoteOp = OpEnvelope & { type: 'vote'; payload: VotePayload };
export type CreatePollOp = OpEnvelope & { type: 'createPoll'; payload: CreatePollPayload };
export type Op = VoteOp | CreatePollOp;

/**
 * The lane of an op; undefined for one that only a newer version of the app understands (its type or the version of its
 * payload): it waits for that version. Payloads of older versions are read as they are, since there is one version yet.
 */
export function laneOf({ type, schemaVersion }: Pick<Op, 'type' | 'schemaVersion'>): Lane | undefined {
  const known = OP_TYPES[type];
  return known !== undefined && schemaVersion <= known.schemaVersion ? known.lane : undefined;
}
