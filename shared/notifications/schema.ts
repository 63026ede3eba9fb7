import * as z from 'zod/mini';
import { clampedIntParam } from '#shared/http.ts';
import { pollSummarySchema } from '#shared/polls/schema.ts';
import { receivedReasonSchema } from '#shared/reports/schema.ts';
import { NOTIFICATION_KINDS, NOTIFICATIONS_PAGE_SIZE, NOTIFICATIONS_PAGE_SIZE_MAX } from './constants.ts';

/** A kind as parsed by a client; those of newer servers become `unknown`. */
const receivedKindSchema = z.catch(z.enum([...NOTIFICATION_KINDS, 'unknown']), 'unknown');

/** A poll of the user with its results. */
const ownPollSchema = z.object({
  ...pollSummarySchema.shape,
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

/** `publicKey`: of the server, for `PushManager.subscribe`. `endpoint`: where the push messages of this session go, if anywhere. */
export const pushSchema = z.object({ publicKey: z.string(), endpoint: z.nullable(z.string()) });

const NOT_FROM_A_BROWSER = 'This is not what a browser sends';

/** A `PushSubscription` of a browser: a public key of 65 bytes and a secret of 16, in base64url. */
export const pushSubscriptionSchema = z.object({
  endpoint: z.string().check(z.maxLength(2_000, NOT_FROM_A_BROWSER)),
  keys: z.object({
    p256dh: z.string().check(z.regex(/^[A-Za-z0-9_-]{87}$/, NOT_FROM_A_BROWSER)),
    auth: z.string().check(z.regex(/^[A-Za-z0-9_-]{22}$/, NOT_FROM_A_BROWSER)),
  }),
});
export type PushSubscriptionInput = z.infer<typeof pushSubscriptionSchema>;

/**
 * What a push message says, encrypted for one browser. `userId`: whose it is, as somebody else may be logged in there by now.
 * `tag`: of two messages with the same one the device shows the later. `path` is what it opens.
 */
export const pushMessageSchema = z.object({
  userId: z.int(),
  tag: z.string(),
  title: z.string(),
  body: z.string(),
  // Of this origin: to a browser a backslash is a slash, and white space is nothing.
  path: z.string().check(z.regex(/^\/(?!\/)[^\s\\]*$/)),
});
export type PushMessage = z.infer<typeof pushMessageSchema>;
