import * as z from 'zod/mini';
import { buildPath } from '#shared/contract.ts';
import { pollIdSchema } from '#shared/http.ts';
import { reportPoll as call } from '#shared/reports/contract.ts';
import { receivedReasonSchema } from '#shared/reports/schema.ts';
import { pollKey, queueHiding } from './hiding.ts';
import type { Operation } from './operation.ts';

/** The payload of a report. `question` is not sent: the outbox page shows it, even without the cached poll. */
export const reportPayloadSchema = z.object({
  pollId: pollIdSchema,
  reason: receivedReasonSchema,
  text: z.optional(z.string()),
  question: z.optional(z.string()),
});
export type ReportPayload = z.infer<typeof reportPayloadSchema>;

/** Hides the poll from its reporter. */
export const report: Operation<ReportPayload> = {
  lane: 'votes',
  isBatchable: false,
  schemaVersion: 1,
  timeoutMs: 15_000,
  payloadSchema: reportPayloadSchema,
  entityOf: ({ pollId }) => pollId,
  request: ({ pollId, reason, text }) => ({
    method: call.method,
    path: buildPath(call, { params: { id: pollId } }),
    kind: 'json',
    body: JSON.stringify(text === undefined ? { reason } : { reason, text }),
  }),
  queue: (payload, earlier, poll) =>
    queueHiding(
      { type: 'report', opposite: 'takeBackReport' },
      { ...payload, question: poll?.question },
      earlier,
    ),
  overlay: (view) => view,
  hiding: ({ pollId, reason }) => ({ key: pollKey(pollId), isHidden: true, reason }),
  marksRead: null,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  changesPolls: false,
  dropsMissingPoll: true,
  refusedActions: [],
  words: {
    noun: 'report',
    waiting: () => 'Your report',
    unsent: 'Report not sent',
    refused: 'Report not taken',
    reason: (code) => (code === 'not_found' ? 'The poll was taken down before your report arrived.' : null),
  },
};
