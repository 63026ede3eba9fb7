import type * as z from 'zod/mini';
import type { User } from '#shared/accounts/schema.ts';
import { buildPath, type Call, type UrlParamsOf } from '#shared/contract.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import type { OpError, QueuedOp, QueuedRequest } from '#sync/protocol/op.ts';

/** The lanes of the queue. They are drained separately, so that votes and other small changes never wait for an upload. */
export const LANES = ['votes', 'creations'] as const;
export type Lane = (typeof LANES)[number];

/**
 * A poll as the screen shows it: confirmed data with the overlay of this device's ops.
 * - `vote`: the user's vote, confirmed or not; null without a vote
 * - `voteOp`: the op that casts or changes the vote, while it waits or needs a decision (`rejected`, `needs_attention`)
 * - `createOp`: the op that creates the poll, while it exists on this device only
 * - `hidden`: set when the user has reported the poll or blocked its maker; lists of polls then leave it out
 */
export type PollView = {
  poll: Poll;
  vote: Option | null;
  voteOp: QueuedOp<{ option: Option }> | null;
  createOp: QueuedOp | null;
  hidden?: HiddenView | null;
};

/**
 * What an op hides from the lists of polls, or shows again: a reported poll, or all polls of a blocked user. `key` identifies
 * the poll or the user, and is the `entityId` of ops about a user.
 */
export type VisibilityChange = {
  key: string;
  isHidden: boolean;
  /** Why a poll was reported. */
  reason?: ReportReason;
  /** The name of a blocked user. */
  username?: string;
};

/**
 * Why a poll is hidden: the reason of the report, or the name of the blocked maker. `op`: the report or block while it is
 * pending (see `isPending`).
 */
export type HiddenView = {
  reason: ReportReason | undefined;
  username: string | undefined;
  op: QueuedOp | null;
};

/** What a user can do about a refused op besides discarding it. */
export type RefusedAction = 'see_results' | 'edit' | 'try_again';

/**
 * The values in the explanation of a refusal. `choice`: the name of the chosen option, null if the op is not about an option;
 * `points`: the points that the user can spend, null if unknown.
 */
export type RefusalContext = { choice: string | null; points: number | null };

/** The texts about an op on the outbox page. */
export type OperationTexts<Payload> = {
  /** Completes the question "Discard this …?" */
  noun: string;
  /** What the op is about, if it is not about a poll. */
  title?(payload: Payload): string;
  waiting(payload: Payload): string;
  /** The title of an op in the state `needs_attention`. */
  unsent: string;
  /** The title of a rejected op. */
  refused: string;
  /** The reason of a refusal; null to show the general message of the code. */
  reason(code: OpError['code'], payload: Payload, context: RefusalContext): string | null;
  /** Which waiting ops are removed together with an op that may have been sent, for operations on which others depend. */
  discardedToo?: string;
  /**
   * The texts on the poll's card, for votes and changes. `unsent` and `refused` are about the same states as the titles above.
   * `confirmed`: the caption of the vote that still counts, if any; `confirmedVote` is the sentence about it.
   */
  forCard?(
    choice: string,
    confirmed: string | null,
  ): { unsent: string; refused: string; confirmedVote: string | null };
};

/** How the queue changes when an op is added. `adds` is null if there is nothing to send. */
export type QueueChange<Payload> = {
  removes: readonly QueuedOp[];
  adds: { type: string; payload: Payload } | null;
};

/**
 * An operation that can be queued: everything that the engine, the outbox page and the background drain know about it. The
 * request is fixed when an op is queued; the other functions are called whenever the op is shown or processed.
 */
export type Operation<Payload> = {
  lane: Lane;
  /** Whether requests may be sent in a batch: the server accepts only those of votes and their changes (`shared/batch.ts`). */
  isBatchable: boolean;
  /** The version of the payload. Ops with a newer version wait for a newer version of the app. */
  schemaVersion: number;
  timeoutMs: number;
  payloadSchema: z.ZodMiniType<Payload>;
  request(payload: Payload): QueuedRequest;
  /** Returns `view` with the effect of the op. `isPending` is false for a rejected op. */
  overlay(view: PollView, op: QueuedOp<Payload>, isPending: boolean): PollView;
  /** What the op hides from the lists of polls, or shows again; null for operations that do neither. */
  visibilityChange: ((payload: Payload) => VisibilityChange) | null;
  /** The id up to which the op marks notifications as read; null for operations that mark none. */
  marksRead: ((payload: Payload) => number) | null;
  /** The points earned and spent by the op. */
  points(payload: Payload): { earned: number; spent: number };
  /** The poll that the op creates, as shown until the server has it; null for operations that create none. */
  newPoll: ((op: QueuedOp<Payload>, user: User) => Poll) | null;
  /**
   * Whether the op changes polls or points. Both are then fetched if the response does not contain them, and the poll also if a
   * vote is refused.
   */
  changesPolls: boolean;
  /**
   * The type of the ops that have to be applied first; null if there is none. A waiting op is removed together with the op that it
   * depends on; once it is applied, earlier refusals of both types are no longer shown.
   */
  dependsOn: string | null;
  /** Whether the response `not_found` removes the poll from the cache. */
  dropsMissingPoll: boolean;
  refusedActions: readonly RefusedAction[];
  texts: OperationTexts<Payload>;
};

/** An operation without images: its payload is all that is stored. */
export type SmallOperation<Payload> = Operation<Payload> & {
  /**
   * The `entityId` of the op. Ops with the same `entityId` are sent in order, but an op does not wait for a postponed one whose
   * `changesPolls` differs.
   */
  entityOf(payload: Payload): string;
  /** How adding `payload` changes the queue; `earlier` are the ops with the same `entityId`, oldest first. */
  queueChange(payload: Payload, earlier: readonly QueuedOp[], poll: Poll | undefined): QueueChange<Payload>;
};

/** The defaults of operations: in the lane of small ones, not batchable, and without effect on polls and points. */
export const OPERATION_DEFAULTS = {
  lane: 'votes',
  isBatchable: false,
  schemaVersion: 1,
  timeoutMs: 15_000,
  overlay: (view) => view,
  visibilityChange: null,
  marksRead: null,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  changesPolls: false,
  dependsOn: null,
  dropsMissingPoll: false,
  refusedActions: [],
} as const satisfies Partial<Operation<unknown>>;

type CallWith<Method extends Call['method']> = Call & { method: Method };

/** The request of an op with a JSON body. */
export function jsonRequest<C extends CallWith<'POST' | 'PUT'>>(
  call: C,
  urlParams: UrlParamsOf<C>,
  body: unknown,
): QueuedRequest {
  return { method: call.method, path: buildPath(call, urlParams), kind: 'json', body: JSON.stringify(body) };
}

/** The request of an op without a body. */
export function emptyRequest<C extends CallWith<'PUT' | 'DELETE'>>(
  call: C,
  urlParams: UrlParamsOf<C>,
): QueuedRequest {
  return { method: call.method, path: buildPath(call, urlParams), kind: 'empty' };
}
