import { changeVote as call } from '#shared/polls/contract.ts';
import { isWaitingUnsent, type QueuedOp } from '#sync/protocol/op.ts';
import { jsonRequest, OPERATION_DEFAULTS, type SmallOperation } from './operation.ts';
import { type VotePayload, votePayloadSchema, withPollTexts } from './vote.ts';

type OptionOp = QueuedOp<Pick<VotePayload, 'option'>>;

/** Moves a vote to the other option. */
export const changeVote: SmallOperation<VotePayload> = {
  ...OPERATION_DEFAULTS,
  isBatchable: true,
  payloadSchema: votePayloadSchema,
  entityOf: ({ pollId }) => pollId,
  request: ({ pollId, option }) => jsonRequest(call, { params: { id: pollId } }, { option }),
  /**
   * Replaces unsent ops: a vote with a vote for `option`, but with a change if a vote from another device has been confirmed; a
   * change with another change, or with nothing if the change is undone. Removes rejected changes.
   */
  queueChange(payload, earlier, poll) {
    const voteOps = earlier.filter(({ type }) => type === 'vote' || type === 'changeVote') as OptionOp[];
    const payloadWithTexts = withPollTexts(payload, poll);
    const removes = voteOps.filter(
      (op) => isWaitingUnsent(op) || (op.type === 'changeVote' && op.state === 'rejected'),
    );
    const confirmedVote = poll?.votes[0];
    if (confirmedVote === undefined && removes.some(({ type }) => type === 'vote')) {
      return { removes, adds: { type: 'vote', payload: payloadWithTexts } };
    }
    const lastSent = voteOps.findLast((op) => op.state !== 'rejected' && !removes.includes(op));
    const currentOption = lastSent?.payload.option ?? confirmedVote?.option;
    return {
      removes,
      adds: currentOption === payload.option ? null : { type: 'changeVote', payload: payloadWithTexts },
    };
  },
  overlay: (view, op, isPending) => ({
    ...view,
    vote: isPending ? op.payload.option : view.vote,
    voteOp: op,
  }),
  changesPolls: true,
  dependsOn: 'vote',
  dropsMissingPoll: true,
  refusedActions: ['see_results'],
  texts: {
    noun: 'change of vote',
    waiting: () => 'Changed to',
    unsent: 'Change not sent',
    refused: 'Change not counted',
    reason(code) {
      if (code === 'poll_closed') return 'The poll closed before your change arrived.';
      return code === 'not_found' ? 'The poll was taken down before your change arrived.' : null;
    },
    forCard: (_choice, confirmed) => ({
      unsent: 'The server did not accept this change.',
      refused: 'Your change was not counted.',
      confirmedVote: confirmed === null ? null : `Your vote for ${confirmed} stays.`,
    }),
  },
};
