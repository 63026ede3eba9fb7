import * as z from 'zod/mini';
import { pollIdSchema } from '#shared/http.ts';
import { receivedStatusSchema } from '#shared/polls/schema.ts';

const STAMP_MAX_LENGTH = 64;

/** A ping's timestamp comes back as it is: a number or a short text, whatever the client likes. */
const stampSchema = z.union([z.number(), z.string().check(z.maxLength(STAMP_MAX_LENGTH))]);

/** What a client may send. Fields that are not named have no effect. */
export const pingSchema = z.object({ type: z.literal('ping'), timestamp: stampSchema });
export type Ping = z.infer<typeof pingSchema>;

/** `timestamp` is the ping's; `serverTime` is milliseconds since 1970. */
const pongSchema = z.object({ type: z.literal('pong'), timestamp: stampSchema, serverTime: z.number() });
export type Pong = z.infer<typeof pongSchema>;

/** A poll as everyone may know it: no option's count, nobody's vote. */
export const pollVotesSchema = z.object({
  type: z.literal('poll.votes'),
  id: pollIdSchema,
  votesCount: z.int(),
  status: receivedStatusSchema,
  rev: z.int(),
});
export type PollVotes = z.infer<typeof pollVotesSchema>;

export const pollCreatedSchema = z.object({ type: z.literal('poll.created'), id: pollIdSchema });
export const pollRemovedSchema = z.object({ type: z.literal('poll.removed'), id: pollIdSchema });

/** The points of the socket's own user. */
const ownPointsSchema = z.object({ type: z.literal('user'), points: z.int(), rev: z.int() });
export type OwnPoints = z.infer<typeof ownPointsSchema>;

/** Everything that the server sends over `/ws`. */
export const liveMessageSchema = z.discriminatedUnion('type', [
  pongSchema,
  pollVotesSchema,
  pollCreatedSchema,
  pollRemovedSchema,
  ownPointsSchema,
]);
export type LiveMessage = z.infer<typeof liveMessageSchema>;
