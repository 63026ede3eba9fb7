import * as z from 'zod/mini';
import { pollIdSchema } from '#shared/http.ts';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import { castVote } from '#shared/polls/contract.ts';
import { optionSchema, type Poll } from '#shared/polls/schema.ts';
import { jsonRequest, OPERATION_DEFAULTS, type SmallOperation } from './operation.ts';

/** The payload of a vote. `question` and `caption` are not sent: the outbox page shows them if the poll is not cached. */
export const votePayloadSchema = z.object({
  pollId: pollIdSchema,
  option: optionSchema,
  question: z.optional(z.string()),
  caption: z.optional(z.string()),
});
export type VotePayload = z.infer<typeof votePayloadSchema>;

/** Returns the payload with the texts of the cached poll. */
export function withPollTexts(payload: VotePayload, poll: Poll | undefined): VotePayload {
  const caption = (payload.option === 1 ? poll?.option1Caption : poll?.option2Caption) ?? undefined;
  return { ...payload, question: poll?.question, caption };
}

/** Casts a vote, which earns a point. */
export const vote: SmallOperation<VotePayload> = {
  ...OPERATION_DEFAULTS,
  isBatchable: true,
  payloadSchema: votePayloadSchema,
  entityOf: ({ pollId }) => pollId,
  request: ({ pollId, option }) => jsonRequest(castVote, { params: { id: pollId } }, { option }),
  /** Adds nothing if the queue has a vote on the same poll that was not rejected. Replaces a rejected vote. */
  queueChange(payload, earlier, poll) {
    const votes = earlier.filter(({ type }) => type === 'vote');
    if (votes.some(({ state }) => state !== 'rejected')) return { removes: [], adds: null };
    return { removes: votes, adds: { type: 'vote', payload: withPollTexts(payload, poll) } };
  },
  overlay(view, op, isPending) {
    if (!isPending) return { ...view, voteOp: op };
    // A confirmed vote takes precedence over a vote in the queue.
    return view.vote === null ? { ...view, vote: op.payload.option, voteOp: op } : view;
  },
  points: () => ({ earned: VOTE_POINTS, spent: 0 }),
  changesPolls: true,
  dropsMissingPoll: true,
  refusedActions: ['see_results'],
  texts: {
    noun: 'vote',
    waiting: () => 'Your vote',
    unsent: 'Vote not sent',
    refused: 'Vote not counted',
    reason(code, _payload, { choice }) {
      if (code === 'poll_closed') return `The poll closed before your vote for ${choice} arrived.`;
      return code === 'not_found' ? 'The poll was taken down before your vote arrived.' : null;
    },
    discardedToo: 'If you have changed this vote since, the change is discarded, too.',
    forCard: (choice) => ({
      unsent: 'The server did not accept this vote.',
      refused: `Your vote for ${choice} was not counted.`,
      confirmedVote: null,
    }),
  },
};
