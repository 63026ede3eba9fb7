import * as z from 'zod/mini';
import {
  type PollVotes,
  pollCreatedSchema,
  pollRemovedSchema,
  pollVotesSchema,
} from '#shared/live/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';

/**
 * What a verb tells after its commit, in any process. `user`: someone's points changed. `sessions`: sessions of
 * this user may have ended, so their sockets are compared with the database.
 */
export const liveEventSchema = z.discriminatedUnion('type', [
  pollVotesSchema,
  pollCreatedSchema,
  pollRemovedSchema,
  z.object({ type: z.literal('user'), userId: z.int(), points: z.int(), rev: z.int() }),
  z.object({ type: z.literal('sessions'), userId: z.int() }),
]);
export type LiveEvent = z.infer<typeof liveEventSchema>;

/** What everyone may know of a changed poll. A `Poll` is one viewer's: nothing else of it goes out. */
export function pollVotes({ id, votesCount, status, rev }: Poll): PollVotes {
  return { type: 'poll.votes', id, votesCount, status, rev };
}

/** A user's new balance, as every ledger call and every user row has it. */
export function userPoints(userId: number, { points, rev }: { points: number; rev: number }): LiveEvent {
  return { type: 'user', userId, points, rev };
}

/** Events of one key follow each other: the last one says it all. */
export function keyOf(event: LiveEvent): string {
  return 'userId' in event ? `${event.type} ${event.userId}` : `${event.type} ${event.id}`;
}
