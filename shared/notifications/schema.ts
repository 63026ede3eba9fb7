import * as z from 'zod/mini';
import { clampedIntParam } from '#shared/http.ts';
import { pollSummarySchema } from '#shared/polls/schema.ts';
import { receivedReasonSchema, reportVerdictSchema } from '#shared/reports/schema.ts';
import { NOTIFICATION_KINDS, NOTIFICATIONS_PAGE_SIZE, NOTIFICATIONS_PAGE_SIZE_MAX } from './constants.ts';

/** A kind as parsed by a client; kinds of newer servers become `unknown`. */
const receivedKindSchema = z.catch(z.enum([...NOTIFICATION_KINDS, 'unknown']), 'unknown');

/** A poll of the user with its results. */
const ownPollSchema = z.object({
  ...pollSummarySchema.shape,
  responsesWanted: z.int(),
  results: z.object({ option1: z.int(), option2: z.int() }),
});

/**
 * A notification. Newer notifications have higher ids. `poll`: the user's own poll, null once it no longer exists; `user`: the
 * friend who signed up by the user's link, null once they have deleted their account; `rule`: why a poll was removed, if known;
 * `verdict`: the decision about a report.
 */
export const notificationSchema = z.object({
  id: z.int(),
  kind: receivedKindSchema,
  poll: z.nullable(ownPollSchema),
  user: z.nullable(z.object({ username: z.string() })),
  rule: z.nullable(receivedReasonSchema),
  verdict: z.nullable(reportVerdictSchema),
  createdAt: z.string(),
  readAt: z.nullable(z.string()),
});
export type Notification = z.infer<typeof notificationSchema>;

export const notificationsQuerySchema = z.object({
  limit: clampedIntParam({ min: 1, max: NOTIFICATIONS_PAGE_SIZE_MAX, fallback: NOTIFICATIONS_PAGE_SIZE }),
  cursor: z.optional(z.string().check(z.regex(/^\d{1,15}$/, 'This cursor is not valid'))),
});

/** `unread`: the number of unread notifications on all pages. */
export const notificationsPageSchema = z.object({
  data: z.array(notificationSchema),
  unread: z.int(),
  nextCursor: z.nullable(z.string()),
});
export type NotificationsPage = z.infer<typeof notificationsPageSchema>;

/** `upTo`: the id of the newest notification that was shown. */
export const readInputSchema = z.object({ upTo: z.int().check(z.minimum(1)) });

/**
 * `publicKey`: the server's key for `PushManager.subscribe`. `endpoint`: the address for the session's push messages; null
 * without a subscription.
 */
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
 * The content of a push message, which is encrypted for one browser. `userId`: the recipient, since another user may have
 * logged in to that browser. `tag`: a message replaces an earlier message with the same tag. `path`: the page that a tap opens.
 */
export const pushMessageSchema = z.object({
  userId: z.int(),
  tag: z.string(),
  title: z.string(),
  body: z.string(),
  // Must be a path of this origin: browsers treat a backslash as a slash, and ignore white space.
  path: z.string().check(z.regex(/^\/(?!\/)[^\s\\]*$/)),
});
export type PushMessage = z.infer<typeof pushMessageSchema>;
