import * as z from 'zod/mini';
import { markNotificationsRead as call } from '#shared/notifications/contract.ts';
import { isWaitingUnsent, needsDecision, type QueuedOp } from '#sync/protocol/op.ts';
import { jsonRequest, OPERATION_DEFAULTS, type SmallOperation } from './operation.ts';

/** `upTo`: the id of the newest notification that was shown. */
const markReadPayloadSchema = z.object({ upTo: z.int() });
type MarkReadPayload = z.infer<typeof markReadPayloadSchema>;

/** Marks notifications as read. */
export const markRead: SmallOperation<MarkReadPayload> = {
  ...OPERATION_DEFAULTS,
  payloadSchema: markReadPayloadSchema,
  entityOf: () => 'notifications',
  request: ({ upTo }) => jsonRequest(call, {}, { upTo }),
  /** Replaces unsent and refused ops. Adds nothing if an op in the queue marks these notifications already. */
  queueChange(payload, earlier) {
    const markReadOps = earlier.filter(({ type }) => type === 'markRead') as QueuedOp<MarkReadPayload>[];
    const waiting = markReadOps.filter((op) => !needsDecision(op));
    if (waiting.some((op) => op.payload.upTo >= payload.upTo)) {
      return { removes: markReadOps.filter(needsDecision), adds: null };
    }
    const removes = markReadOps.filter((op) => needsDecision(op) || isWaitingUnsent(op));
    return { removes, adds: { type: 'markRead', payload } };
  },
  marksRead: ({ upTo }) => upTo,
  texts: {
    noun: 'change',
    title: () => 'Notifications',
    waiting: () => 'Marked as read',
    unsent: 'Not marked as read',
    refused: 'Not marked as read',
    reason: () => null,
  },
};
