import type { PollVotes } from '#shared/live/schema.ts';
import { loadPollId } from './load-ids.ts';

/** A live update of the nth poll; as JSON all have the same length. */
export function voteEvent(nth: number): PollVotes {
  return { type: 'poll.votes', id: loadPollId(nth), votesCount: 100, status: 'active', rev: 101 };
}
