import * as z from 'zod/mini';
import { buildPath } from '#shared/contract.ts';
import { pollIdSchema } from '#shared/http.ts';
import { takeBackReport as call } from '#shared/reports/contract.ts';
import { pollKey, queueHiding } from './hiding.ts';
import type { Operation } from './operation.ts';

export const takeBackReportPayloadSchema = z.object({
  pollId: pollIdSchema,
  question: z.optional(z.string()),
});
export type TakeBackReportPayload = z.infer<typeof takeBackReportPayloadSchema>;

/** Shows a reported poll again. */
export const takeBackReport: Operation<TakeBackReportPayload> = {
  lane: 'votes',
  isBatchable: false,
  schemaVersion: 1,
  timeoutMs: 15_000,
  payloadSchema: takeBackReportPayloadSchema,
  entityOf: ({ pollId }) => pollId,
  request: ({ pollId }) => ({
    method: call.method,
    path: buildPath(call, { params: { id: pollId } }),
    kind: 'empty',
  }),
  queue: (payload, earlier, poll) =>
    queueHiding(
      { type: 'takeBackReport', opposite: 'report' },
      { ...payload, question: poll?.question },
      earlier,
    ),
  overlay: (view) => view,
  hiding: ({ pollId }) => ({ key: pollKey(pollId), isHidden: false }),
  marksRead: null,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  changesPolls: false,
  dropsMissingPoll: false,
  refusedActions: [],
  words: {
    noun: 'change',
    waiting: () => 'Report taken back',
    unsent: 'Report not taken back',
    refused: 'Report not taken back',
    reason: () => null,
  },
};
