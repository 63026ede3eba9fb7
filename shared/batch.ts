import * as z from 'zod/mini';
import { idempotencyKeySchema } from './http.ts';
import { castVote, changeVote } from './polls/contract.ts';

/** The most calls in a batch. The response is sent when all of them have completed. */
export const BATCH_MAX_REQUESTS = 50;

/** The calls allowed in a batch: votes, of which a device may have queued many. */
const BATCHABLE_CALLS = [castVote, changeVote] as const;
const BATCHABLE_PATH = new RegExp(
  `^(?:${BATCHABLE_CALLS.map(({ path }) => path.replace('{id}', '[0-9a-f-]{36}')).join('|')})$`,
  'i',
);

/** Queued calls as they would be sent individually. `key`: the idempotency key; `body`: the JSON text. */
export const batchInputSchema = z.object({
  requests: z
    .array(
      z.object({
        method: z.enum(BATCHABLE_CALLS.map(({ method }) => method)),
        path: z.string().check(z.regex(BATCHABLE_PATH, 'This call cannot be in a batch')),
        key: idempotencyKeySchema,
        body: z.string(),
      }),
    )
    .check(z.minLength(1), z.maxLength(BATCH_MAX_REQUESTS)),
});
export type BatchInput = z.infer<typeof batchInputSchema>;

/** The response to each call, in request order. `retryAfter` is the value of the `Retry-After` header, or null. */
export const batchResponseSchema = z.object({
  answers: z.array(
    z.object({
      status: z.int(),
      key: z.string(),
      retryAfter: z.nullable(z.string()),
      body: z.unknown(),
    }),
  ),
});
export type BatchResponse = z.infer<typeof batchResponseSchema>;
