import * as z from 'zod/mini';
import { clampedIntParam } from '#shared/http.ts';
import { POINT_REASONS } from '#shared/points/constants.ts';
import { pollSummarySchema } from '#shared/polls/schema.ts';
import { ACTIVITY_PAGE_SIZE, ACTIVITY_PAGE_SIZE_MAX } from './constants.ts';

/** A reason as parsed by a client; reasons of newer servers become `unknown`. */
const receivedPointReasonSchema = z.catch(z.enum([...POINT_REASONS, 'unknown']), 'unknown');

/**
 * An entry of the ledger. `delta`: the change in points; `balance`: the points after it. `poll` is null if the entry is not
 * about a poll, or if the user can no longer see the poll. `friend`: the friend who signed up by the user's link or verified
 * their email; its `user` is null once the friend has deleted their account.
 */
export const activityEntrySchema = z.object({
  id: z.int(),
  delta: z.int(),
  balance: z.int(),
  reason: receivedPointReasonSchema,
  poll: z.nullable(pollSummarySchema),
  friend: z.nullable(
    z.object({
      event: z.enum(['joined', 'verified']),
      user: z.nullable(z.object({ username: z.string() })),
    }),
  ),
  createdAt: z.string(),
});
export type ActivityEntry = z.infer<typeof activityEntrySchema>;

export const activityQuerySchema = z.object({
  limit: clampedIntParam({ min: 1, max: ACTIVITY_PAGE_SIZE_MAX, fallback: ACTIVITY_PAGE_SIZE }),
  cursor: z.optional(z.string()),
});

export const activityPageSchema = z.object({
  data: z.array(activityEntrySchema),
  nextCursor: z.nullable(z.string()),
});
export type ActivityPage = z.infer<typeof activityPageSchema>;
