import { requireUserRow, toOwnUser } from '#api/http/session/session-user.ts';
import { pollVotes, userChanged } from '#api/live/live-events.ts';
import { isClosed, type VoteCall } from '#api/polls/poll-call.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import { isVoteCast } from '#api/polls/queries.ts';

/** Casts a vote, at most one per user and poll. It is refused with `already_voted`, `own_poll` or `poll_closed`. */
export const castVote: VoteCall = {
  route: 'vote',
  attemptLimit: ({ votes }) => votes,
  fingerprintParts: ({ option }) => [option],
  async write({ db, voteWriter, shareLinks }, input, receipt) {
    const written = await voteWriter({ ...input, receipt });
    if (written === null) return null;
    const { user, option } = input;
    const viewer = written.viewer ?? (await requireUserRow(db, user.id));
    return {
      poll: toPoll(shareLinks, written.poll, viewer, { option, changes: 0 }, Date.now()),
      user: toOwnUser(viewer),
    };
  },
  writeLimits: ({ votesOfUnverified }, user) => (user.isVerified ? [] : [votesOfUnverified]),
  async isDone(handle, { user, pollId, option }, poll) {
    if (poll !== null) return poll.vote?.option === option;
    return isVoteCast(handle, { userId: user.id, pollId, option });
  },
  refusal(poll, { user }) {
    if (poll.vote !== null) return 'already_voted';
    if (poll.userId === user.id) return 'own_poll';
    return isClosed(poll) ? 'poll_closed' : null;
  },
  events: ({ poll, user }, input) => [pollVotes(poll), userChanged(input.user.id, user)],
};
