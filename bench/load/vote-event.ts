import type { PollVotes } from '#shared/live/schema.ts';
import { loadTestPollId } from './load-ids.ts';

/** A live update for the poll with this index; all have the same length as JSON. */
export function voteEvent(index: number): PollVotes {
  return { type: 'poll.votes', id: loadTestPollId(index), votesCount: 100, status: 'active', rev: 101 };
}
