import * as z from 'zod/mini';
import { pollIdSchema } from '#shared/http.ts';
import { createPoll as call } from '#shared/polls/contract.ts';
import { insufficientPointsMessage, pollCost } from '#shared/polls/rules.ts';
import { DAY_MS } from '#shared/time.ts';
import { OPERATION_DEFAULTS, type Operation } from './operation.ts';

/** The payload of a new poll; its two images are in `opBlobs`. */
const createPollPayloadSchema = z.object({
  pollId: pollIdSchema,
  question: z.string(),
  option1Caption: z.string(),
  option2Caption: z.string(),
  durationDays: z.int(),
  responsesWanted: z.int(),
});
export type CreatePollPayload = z.infer<typeof createPollPayloadSchema>;

/** Creates a poll: sends a multipart form with two images, and costs points. */
export const createPoll: Operation<CreatePollPayload> = {
  ...OPERATION_DEFAULTS,
  lane: 'creations',
  timeoutMs: 120_000,
  payloadSchema: createPollPayloadSchema,
  request: (payload) => ({
    path: call.path,
    kind: 'form',
    fields: [
      ['id', payload.pollId],
      ['question', payload.question],
      ['option1Caption', payload.option1Caption],
      ['option2Caption', payload.option2Caption],
      ['duration', String(payload.durationDays)],
      ['responsesWanted', String(payload.responsesWanted)],
    ],
  }),
  points: ({ responsesWanted }) => ({ earned: 0, spent: pollCost(responsesWanted) }),
  newPoll: ({ payload, createdAt }, user) => ({
    id: payload.pollId,
    question: payload.question,
    user: { username: user.username },
    option1Image: '',
    option2Image: '',
    option1Caption: payload.option1Caption.trim() || null,
    option2Caption: payload.option2Caption.trim() || null,
    option1Preview: null,
    option2Preview: null,
    option1Size: null,
    option2Size: null,
    votesCount: 0,
    commentCount: 0,
    createdAt: new Date(createdAt).toISOString(),
    closesAt: new Date(createdAt + payload.durationDays * DAY_MS).toISOString(),
    duration: payload.durationDays,
    active: true,
    responsesWanted: payload.responsesWanted,
    status: 'active',
    votes: [],
    results: null,
    isMine: true,
    isSample: false,
    rev: 0,
  }),
  changesPolls: true,
  refusedActions: ['edit', 'try_again'],
  texts: {
    noun: 'poll',
    waiting: ({ responsesWanted }) => `Your poll · costs ${pollCost(responsesWanted)} points`,
    unsent: 'Poll not sent',
    refused: 'Poll not posted',
    reason(code, { responsesWanted }, { points }) {
      if (code !== 'insufficient_points') return null;
      const cost = pollCost(responsesWanted);
      const message = `${insufficientPointsMessage(cost)}.`;
      if (points === null) return message;
      return points < cost ? `${message} You have ${points}.` : `${message} You have enough now.`;
    },
  },
};
