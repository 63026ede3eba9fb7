import * as z from 'zod/mini';
import { idempotencyKeySchema } from './http.ts';
import { castVote, changeVote } from './polls/contract.ts';

/** So many calls one batch holds at most: its answer comes when the last of them has been answered. */
export const BATCH_MAX = 50;

/** The calls that may be in a batch: those that a device queues and that are small. */
const BATCHED = [castVote, changeVote] as const;
const BATCHED_PATH = new RegExp(
  `^(?:${BATCHED.map(({ path }) => path.replace('{id}', '[0-9a-f-]{36}')).join('|')})$`,
  'i',
);

/** Queued calls (JSON) as they would be sent one by one; `body` is the text that would be sent. */
export const batchInputSchema = z.object({
  requests: z
    .array(
      z.object({
        method: z.enum(BATCHED.map(({ method }) => method)),
        path: z.string().check(z.regex(BATCHED_PATH, 'This call cannot be in a batch')),
        key: idempotencyKeySchema,
        body: z.string(),
      }),
    )
    .check(z.minLength(1), z.maxLength(BATCH_MAX)),
});
export type BatchInput = z.infer<typeof batchInputSchema>;

/** The answer to each call, in the order of the requests. `retryAfter` as the header has it, null when there is none. */
export const batchAnswerSchema = z.object({
  answers: z.array(
    z.object({
      status: z.int(),
      key: z.string(),
      retryAfter: z.nullable(z.string()),
      body: z.unknown(),
    }),
  ),
});
export type BatchAnswer = z.infer<typeof batchAnswerSchema>;
