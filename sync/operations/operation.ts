import type * as z from 'zod/mini';
import type { User } from '#shared/accounts/schema.ts';
import type { ReceivedCode } from '#shared/errors.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { QueuedOp, QueuedRequest } from '#sync/protocol/op.ts';

/** The lanes of the queue: small operations never wait for an upload. */
export const LANES = ['votes', 'creations'] as const;
export type Lane = (typeof LANES)[number];

/**
 * A poll as the screen shows it: the server's truth with this device's waiting ops laid over it.
 * - `vote`: the option the person chose, confirmed or not; null when they have not voted
 * - `voteOp`: the op that decides `vote` while it waits or needs a decision (`rejected`, `needs_attention`)
 * - `createOp`: the creation's op while the poll exists on this device only
 */
export type PollView = {
  poll: Poll;
  vote: Option | null;
  voteOp: QueuedOp<{ option: Option }> | null;
  createOp: QueuedOp | null;
};

/** What a person can do about a refused op besides discarding it. */
export type RefusedAction = 'see_results' | 'edit' | 'try_again';

/** What a refusal is explained with. `points`: what the person has now, null while unknown. */
export type RefusalContext = { choice: string | null; points: number | null };

/** How an op is spoken of on the outbox page. */
export type OperationWords<Payload> = {
  /** "Discard this …?" */
  noun: string;
  waiting(payload: Payload): string;
  /** It was refused for a reason that this version does not know, and the person decides. */
  unsent: string;
  refused: string;
  /** Why it was refused; null where the general words for the code say it. */
  reason(code: ReceivedCode | 'server_replaced', payload: Payload, context: RefusalContext): string | null;
  /** On the poll's card, for an op that decides about a vote. `confirmed`: the choice that counts all the same. */
  onCard?(
    choice: string,
    confirmed: string | null,
  ): { unsent: string; refused: string; stays: string | null };
};

/** What becomes of the queue when an op is added; `adds` is null when there is nothing to send. */
export type Queueing<Payload> = {
  removes: readonly QueuedOp[];
  adds: { type: string; payload: Payload } | null;
};

/**
 * One operation that can be queued: all that the engine, the outbox page and the background drain know of it. What is sent
 * is fixed when the op is queued; the other functions are asked whenever the op is looked at.
 */
export type Operation<Payload> = {
  lane: Lane;
  /** The newest version of the payload; ops with a newer one wait for the version of the app that knows it. */
  schemaVersion: number;
  timeoutMs: number;
  payloadSchema: z.ZodMiniType<Payload>;
  request(payload: Payload): QueuedRequest;
  /** What the queue holds after `payload` was added; `earlier` are the ops about the same poll, oldest first. */
  queue(payload: Payload, earlier: readonly QueuedOp[], poll: Poll | undefined): Queueing<Payload>;
  /** `view` with the op laid over it. `isPending` is false for an op that was refused. */
  overlay(view: PollView, op: QueuedOp<Payload>, isPending: boolean): PollView;
  /** The points that are expected and those that are spent while the op waits. */
  points(payload: Payload): { earned: number; spent: number };
  /** The poll that exists by this op alone until the server has it: images from the device, no results. Null: none does. */
  newPoll: ((op: QueuedOp<Payload>, user: User) => Poll) | null;
  /** Whether the device lets go of the poll when the server says that it is not there. */
  dropsMissingPoll: boolean;
  refusedActions: readonly RefusedAction[];
  words: OperationWords<Payload>;
};
