import type { PollVotes } from '#shared/live/schema.ts';
import { loadPollId } from './load-ids.ts';

/** A live update for the nth poll; all have the same length as JSON. */
export function voteEvent(nth: number): PollVotes {
  return { type: 'poll.votes', id: loadPollId(nth), votesCount: 100, status: 'active', rev: 101 };
}
