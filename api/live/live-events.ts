import * as z from 'zod/mini';
import {
  type PollVotes,
  pollCreatedSchema,
  pollRemovedSchema,
  pollVotesSchema,
} from '#shared/live/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';

/**
 * An event that a verb publishes after its commit. `user`: the account of a user has changed, for example its points.
 * `notifications`: the notifications of a user have changed. `sessions`: sessions of a user may have ended, so the user's sockets
 * are checked against the database.
 */
export const liveEventSchema = z.discriminatedUnion('type', [
  pollVotesSchema,
  pollCreatedSchema,
  pollRemovedSchema,
  z.object({ type: z.literal('user'), userId: z.int(), points: z.int(), rev: z.int() }),
  z.object({ type: z.literal('notifications'), userId: z.int() }),
  z.object({ type: z.literal('sessions'), userId: z.int() }),
]);
export type LiveEvent = z.infer<typeof liveEventSchema>;

/** The event about the votes and the status of a poll, without its results, which not everybody may see. */
export function pollVotes({ id, votesCount, status, rev, closedEarly }: Poll): PollVotes {
  return { type: 'poll.votes', id, votesCount, status, rev, ...(closedEarly && { closedEarly }) };
}

/**
 * The event about a change to a user's account. The user's devices show the points at once, and fetch the account because its
 * `rev` has grown.
 */
export function userChanged(userId: number, { points, rev }: { points: number; rev: number }): LiveEvent {
  return { type: 'user', userId, points, rev };
}

/**
 * The key of an event. Of several events with the same key only one matters: the one with the highest `rev` or, if they have
 * none, the last one, such as a poll's removal or its undo.
 */
export function keyOf(event: LiveEvent): string {
  if (event.type === 'poll.created' || event.type === 'poll.removed') return `poll ${event.id}`;
  return 'userId' in event ? `${event.type} ${event.userId}` : `${event.type} ${event.id}`;
}
