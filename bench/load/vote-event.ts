import type { PollVotes } from '#shared/live/schema.ts';

/** A live update of the nth poll; as JSON all have the same length. */
export function voteEvent(nth: number): PollVotes {
  const id = `00000000-0000-7000-8000-${nth.toString(16).padStart(12, '0')}`;
  return { type: 'poll.votes', id, votesCount: 100, status: 'active', rev: 101 };
}
