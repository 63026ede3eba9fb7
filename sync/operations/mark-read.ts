import * as z from 'zod/mini';
import { markNotificationsRead as call } from '#shared/notifications/contract.ts';
import { isUnsent, needsDecision, type QueuedOp } from '#sync/protocol/op.ts';
import type { Operation } from './operation.ts';

/** `upTo`: the id of the newest notification that was shown. */
export const markReadPayloadSchema = z.object({ upTo: z.int() });
export type MarkReadPayload = z.infer<typeof markReadPayloadSchema>;

/** Marks notifications as read. */
export const markRead: Operation<MarkReadPayload> = {
  lane: 'votes',
  isBatchable: false,
  schemaVersion: 1,
  timeoutMs: 15_000,
  payloadSchema: markReadPayloadSchema,
  entityOf: () => 'notifications',
  request: ({ upTo }) => ({ path: call.path, kind: 'json', body: JSON.stringify({ upTo }) }),
  /** Replaces what was not sent; nothing is added for what waits or is being sent already. */
  queue(payload, earlier) {
    const about = earlier.filter(({ type }) => type === 'markRead') as QueuedOp<MarkReadPayload>[];
    const waiting = about.filter((op) => !needsDecision(op));
    if (waiting.some((op) => op.payload.upTo >= payload.upTo)) {
      return { removes: about.filter(needsDecision), adds: null };
    }
    const removes = about.filter((op) => needsDecision(op) || isUnsent(op));
    return { removes, adds: { type: 'markRead', payload } };
  },
  overlay: (view) => view,
  hiding: null,
  marksRead: ({ upTo }) => upTo,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  changesPolls: false,
  dropsMissingPoll: false,
  refusedActions: [],
  words: {
    noun: 'change',
    title: () => 'Notifications',
    waiting: () => 'Marked as read',
    unsent: 'Not marked as read',
    refused: 'Not marked as read',
    reason: () => null,
  },
};
