import * as z from 'zod/mini';
import { pollIdSchema } from '#shared/http.ts';
import { receivedStatusSchema } from '#shared/polls/schema.ts';

const TIMESTAMP_MAX_LENGTH = 64;

/** The timestamp of a ping, echoed in the pong: a number or a short string of the client's choice. */
const timestampSchema = z.union([z.number(), z.string().check(z.maxLength(TIMESTAMP_MAX_LENGTH))]);

/** The only message that clients send. Unknown fields are ignored. */
export const pingSchema = z.object({ type: z.literal('ping'), timestamp: timestampSchema });
export type Ping = z.infer<typeof pingSchema>;

/** `timestamp`: the timestamp of the ping; `serverTime`: milliseconds since 1970. */
const pongSchema = z.object({ type: z.literal('pong'), timestamp: timestampSchema, serverTime: z.number() });
export type Pong = z.infer<typeof pongSchema>;

/**
 * The public part of a poll after a vote or a change of its status, without counts per option or individual votes.
 * `closedEarly`: see `pollSchema`; absent in messages of older servers.
 */
export const pollVotesSchema = z.object({
  type: z.literal('poll.votes'),
  id: pollIdSchema,
  votesCount: z.int(),
  status: receivedStatusSchema,
  rev: z.int(),
  closedEarly: z.optional(z.literal(true)),
});
export type PollVotes = z.infer<typeof pollVotesSchema>;

export const pollCreatedSchema = z.object({ type: z.literal('poll.created'), id: pollIdSchema });
export const pollRemovedSchema = z.object({ type: z.literal('poll.removed'), id: pollIdSchema });

/** The account of the socket's user has changed; contains its current points. */
const userPointsSchema = z.object({ type: z.literal('user'), points: z.int(), rev: z.int() });
export type UserPoints = z.infer<typeof userPointsSchema>;

/** The notifications of the socket's user have changed. */
const notificationsChangedSchema = z.object({ type: z.literal('notifications') });

/** All messages that the server sends over `/ws`. */
export const liveMessageSchema = z.union([
  pongSchema,
  pollVotesSchema,
  pollCreatedSchema,
  pollRemovedSchema,
  userPointsSchema,
  notificationsChangedSchema,
]);
export type LiveMessage = z.infer<typeof liveMessageSchema>;
