import type { PollVotes } from '#shared/live/schema.ts';
import { loadTestPollId } from './load-ids.ts';

/** A live update for the nth poll; all have the same length as JSON. */
export function voteEvent(nth: number): PollVotes {
  return { type: 'poll.votes', id: loadTestPollId(nth), votesCount: 100, status: 'active', rev: 101 };
}
