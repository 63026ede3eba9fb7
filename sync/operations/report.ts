import * as z from 'zod/mini';
import { pollIdSchema } from '#shared/http.ts';
import { reportPoll, takeBackReport as takeBackCall } from '#shared/reports/contract.ts';
import { receivedReasonSchema } from '#shared/reports/schema.ts';
import { emptyRequest, jsonRequest, OPERATION_DEFAULTS, type SmallOperation } from './operation.ts';
import { pollKey, queueChangeWithOpposite } from './visibility-change.ts';

/**
 * The payload of a report. `question` is not sent: the outbox page shows it if the poll is not cached. A reason that a newer
 * version of the app has stored is shown as `other`; the request is sent as it was queued.
 */
const reportPayloadSchema = z.object({
  pollId: pollIdSchema,
  reason: receivedReasonSchema,
  text: z.optional(z.string()),
  question: z.optional(z.string()),
});
type ReportPayload = z.infer<typeof reportPayloadSchema>;

/** Reports a poll, which is then hidden from its reporter. */
export const report: SmallOperation<ReportPayload> = {
  ...OPERATION_DEFAULTS,
  payloadSchema: reportPayloadSchema,
  entityOf: ({ pollId }) => pollId,
  request: ({ pollId, reason, text }) =>
    jsonRequest(reportPoll, { params: { id: pollId } }, { reason, text }),
  queueChange: (payload, earlier, poll) =>
    queueChangeWithOpposite(
      { type: 'report', opposite: 'takeBackReport' },
      { ...payload, question: poll?.question },
      earlier,
    ),
  visibilityChange: ({ pollId, reason }) => ({ key: pollKey(pollId), isHidden: true, reason }),
  dropsMissingPoll: true,
  texts: {
    noun: 'report',
    waiting: () => 'Your report',
    unsent: 'Report not sent',
    refused: 'Report not accepted',
    reason: (code) => (code === 'not_found' ? 'The poll was taken down before your report arrived.' : null),
  },
};

const takeBackReportPayloadSchema = z.object({
  pollId: pollIdSchema,
  question: z.optional(z.string()),
});
type TakeBackReportPayload = z.infer<typeof takeBackReportPayloadSchema>;

/** Takes back a report: the poll is shown again. */
export const takeBackReport: SmallOperation<TakeBackReportPayload> = {
  ...OPERATION_DEFAULTS,
  payloadSchema: takeBackReportPayloadSchema,
  entityOf: ({ pollId }) => pollId,
  request: ({ pollId }) => emptyRequest(takeBackCall, { params: { id: pollId } }),
  queueChange: (payload, earlier, poll) =>
    queueChangeWithOpposite(
      { type: 'takeBackReport', opposite: 'report' },
      { ...payload, question: poll?.question },
      earlier,
    ),
  visibilityChange: ({ pollId }) => ({ key: pollKey(pollId), isHidden: false }),
  texts: {
    noun: 'change',
    waiting: () => 'Report withdrawn',
    unsent: 'Report not withdrawn',
    refused: 'Report not withdrawn',
    reason: () => null,
  },
};
