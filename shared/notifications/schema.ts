import * as z from 'zod/mini';
import { clampedIntParam } from '#shared/http.ts';
import { pollSummarySchema } from '#shared/polls/schema.ts';
import { receivedReasonSchema } from '#shared/reports/schema.ts';
import { NOTIFICATION_KINDS, NOTIFICATIONS_PAGE_SIZE, NOTIFICATIONS_PAGE_SIZE_MAX } from './constants.ts';

/** A kind as parsed by a client; those of newer servers become `unknown`. */
const receivedKindSchema = z.catch(z.enum([...NOTIFICATION_KINDS, 'unknown']), 'unknown');

/** A poll of the user with its results. */
const ownPollSchema = z.extend(pollSummarySchema, {
  responsesWanted: z.int(),
  results: z.object({ option1: z.int(), option2: z.int() }),
});

/**
 * A notification. `poll` is the user's own, null once it is gone; `user` is who signed up by the user's link, null once they
 * have deleted their account. `rule` is why a poll was removed, if that is known; `verdict` what became of a report. Ids rise
 * with time.
 */
export const notificationSchema = z.object({
  id: z.int(),
  kind: receivedKindSchema,
  poll: z.nullable(ownPollSchema),
  user: z.nullable(z.object({ username: z.string() })),
  rule: z.nullable(receivedReasonSchema),
  verdict: z.nullable(z.enum(['upheld', 'dismissed'])),
  createdAt: z.string(),
  readAt: z.nullable(z.string()),
});
export type Notification = z.infer<typeof notificationSchema>;

export const notificationsQuerySchema = z.object({
  limit: clampedIntParam({ min: 1, max: NOTIFICATIONS_PAGE_SIZE_MAX, fallback: NOTIFICATIONS_PAGE_SIZE }),
  cursor: z.optional(z.string().check(z.regex(/^\d{1,15}$/, 'This cursor is not one of ours'))),
});

/** `unread`: of all notifications, not of this page. */
export const notificationsPageSchema = z.object({
  data: z.array(notificationSchema),
  unread: z.int(),
  nextCursor: z.nullable(z.string()),
});
export type NotificationsPage = z.infer<typeof notificationsPageSchema>;

/** `upTo`: the id of the newest notification that was shown. */
export const readInputSchema = z.object({ upTo: z.int().check(z.minimum(1)) });
