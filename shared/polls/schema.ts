import * as z from 'zod/mini';
import { userSchema } from '#shared/accounts/schema.ts';
import { clampedIntParam, cleanText, pollIdSchema, storableText, uuidParamsSchema } from '#shared/http.ts';
import { receivedReasonSchema } from '#shared/reports/schema.ts';
import {
  CAPTION_MAX_LENGTH,
  DURATION_FALLBACK_DAYS,
  DURATION_MAX_DAYS,
  DURATION_MIN_DAYS,
  FEED_OFFSET_MAX,
  FEED_PAGE_SIZE,
  FEED_PAGE_SIZE_MAX,
  QUESTION_MAX_LENGTH,
  QUESTION_REQUIRED_MESSAGE,
  RESPONSES_MAX,
  RESPONSES_MIN,
  TRENDING_COUNT,
  TRENDING_COUNT_MAX,
  TRENDING_MIN_VOTES,
} from './constants.ts';

export const optionSchema = z.union([z.literal(1), z.literal(2)]);
export type Option = z.infer<typeof optionSchema>;

export const pollStatusSchema = z.enum(['active', 'inactive', 'expired', 'completed']);
export type PollStatus = z.infer<typeof pollStatusSchema>;

/**
 * The status as parsed by a client: unknown values of newer servers become `inactive`, so that the app offers no vote that
 * might be refused.
 */
export const receivedStatusSchema = z.catch(pollStatusSchema, 'inactive');

const sizeSchema = z.object({ width: z.int(), height: z.int() });

/** The part of a poll that a ledger entry or a notification about it contains. */
export const pollSummarySchema = z.object({
  id: pollIdSchema,
  question: z.string(),
  option1Image: z.string(),
  option2Image: z.string(),
  option1Caption: z.nullable(z.string()),
  option2Caption: z.nullable(z.string()),
  option1Preview: z.nullable(z.string()),
  option2Preview: z.nullable(z.string()),
});
export type PollSummary = z.infer<typeof pollSummarySchema>;

/**
 * A poll as visible to one viewer. `votes` contains at most the viewer's own vote; its `changesLeft` is absent in responses of
 * older servers. `results` (votes per option) is null until the viewer may see them. Dates are ISO 8601 UTC, `duration` is in
 * days, sizes are in pixels, previews are base64 ThumbHashes (null for placeholders).
 *
 * `hidden`: several users have reported the poll, and only its maker and administrators see it until an administrator decides.
 * `removedFor`: an administrator has removed the poll for this reason; only the list of its maker's polls still contains it.
 * Hidden and removed polls have the status `inactive`.
 *
 * `closedEarly`: the maker has closed the poll early, at `closesAt`; the status is `expired` (or `inactive`). `isFree` (only in
 * responses to the maker): the poll has cost no points.
 *
 * `shareUrl`: the share link, which works without an account; absent in responses of older servers and in polls cached from
 * them.
 */
export const pollSchema = z.object({
  ...pollSummarySchema.shape,
  user: z.nullable(z.object({ username: z.string() })),
  option1Size: z.nullable(sizeSchema),
  option2Size: z.nullable(sizeSchema),
  votesCount: z.int(),
  /** Always 0: polls have no comments. */
  commentCount: z.int(),
  createdAt: z.string(),
  closesAt: z.string(),
  duration: z.int(),
  /** False for a poll that is hidden, removed or deactivated; true even for one that has expired or is completed. */
  active: z.boolean(),
  responsesWanted: z.int(),
  status: receivedStatusSchema,
  votes: z.array(z.object({ option: optionSchema, changesLeft: z.optional(z.int()) })),
  results: z.nullable(z.object({ option1: z.int(), option2: z.int() })),
  isMine: z.boolean(),
  isSample: z.boolean(),
  rev: z.int(),
  votesLast24h: z.optional(z.int()),
  hidden: z.optional(z.literal(true)),
  removedFor: z.optional(receivedReasonSchema),
  closedEarly: z.optional(z.literal(true)),
  isFree: z.optional(z.literal(true)),
  shareUrl: z.optional(z.string()),
});
export type Poll = z.infer<typeof pollSchema>;

/** The slug of a share link: 16 bytes in base64url. */
export const slugSchema = z.string().check(z.regex(/^[\w-]{22}$/, 'Poll not found.'));

const { user, option1Size, option2Size, createdAt, closesAt, status, results, closedEarly } =
  pollSchema.shape;

/**
 * A poll as its share link shows it to anybody, without an account. While it is open, `results` (votes per option) is null.
 */
export const sharedPollSchema = z.object({
  ...pollSummarySchema.shape,
  user,
  option1Size,
  option2Size,
  createdAt,
  closesAt,
  status,
  results,
  closedEarly,
  shareUrl: z.string(),
});
export type SharedPoll = z.infer<typeof sharedPollSchema>;

const captionSchema = z.pipe(
  z.optional(
    z
      .string()
      .check(
        cleanText,
        z.maxLength(CAPTION_MAX_LENGTH, `A caption has at most ${CAPTION_MAX_LENGTH} characters`),
        storableText,
      ),
  ),
  z.transform((text) => (text === undefined || text === '' ? null : text)),
);

/** An integer field of a multipart form, where every value is a string; `fallback` if empty or absent. */
export function intFormField(options: { min: number; max: number; fallback: number; message: string }) {
  return z.pipe(
    z.optional(z.string()),
    z.transform((text, context) => {
      const value = text === undefined || text === '' ? options.fallback : Number(text);
      const isInteger = text === undefined || /^\d{0,9}$/.test(text);
      if (isInteger && value >= options.min && value <= options.max) return value;
      context.issues.push({ code: 'custom', message: options.message, input: text });
      return z.NEVER;
    }),
  );
}

/** The text fields of `POST /api/questions` (multipart, so every value is a string). */
export const createPollFieldsSchema = z.object({
  id: z.optional(pollIdSchema),
  question: z
    .string(QUESTION_REQUIRED_MESSAGE)
    .check(
      cleanText,
      z.minLength(1, QUESTION_REQUIRED_MESSAGE),
      z.maxLength(QUESTION_MAX_LENGTH, `A question has at most ${QUESTION_MAX_LENGTH} characters`),
      storableText,
    ),
  option1Caption: captionSchema,
  option2Caption: captionSchema,
  duration: intFormField({
    min: DURATION_MIN_DAYS,
    max: DURATION_MAX_DAYS,
    fallback: DURATION_FALLBACK_DAYS,
    message: `A poll is open for ${DURATION_MIN_DAYS} to ${DURATION_MAX_DAYS} days`,
  }),
  responsesWanted: intFormField({
    min: RESPONSES_MIN,
    max: RESPONSES_MAX,
    fallback: RESPONSES_MIN,
    message: `A poll asks for at least ${RESPONSES_MIN} responses`,
  }),
});
export type CreatePollFields = z.infer<typeof createPollFieldsSchema>;

export const pollParamsSchema = uuidParamsSchema('Poll not found.');

export const voteInputSchema = z.object({ option: optionSchema });

/** With `includeCount=true`, the response contains `total`. */
export const feedQuerySchema = z.object({
  limit: clampedIntParam({ min: 1, max: FEED_PAGE_SIZE_MAX, fallback: FEED_PAGE_SIZE }),
  offset: clampedIntParam({ min: 0, max: FEED_OFFSET_MAX, fallback: 0 }),
  includeCount: z.optional(z.string()),
  cursor: z.optional(z.string()),
});

/** With `metrics=true`, the polls contain `votesLast24h`. */
export const trendingQuerySchema = z.object({
  limit: clampedIntParam({ min: 1, max: TRENDING_COUNT_MAX, fallback: TRENDING_COUNT }),
  minVotes: clampedIntParam({ min: 0, max: RESPONSES_MAX, fallback: TRENDING_MIN_VOTES }),
  metrics: z.optional(z.string()),
});

export const feedPageSchema = z.object({
  data: z.array(pollSchema),
  pagination: z.object({
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean(),
    nextCursor: z.nullable(z.string()),
    total: z.optional(z.int()),
  }),
});
export type FeedPage = z.infer<typeof feedPageSchema>;

export const pollListSchema = z.array(pollSchema);

/**
 * The response to a vote or a creation: the current poll and user. `poll` is null if the poll was deleted before a retry of the
 * call.
 */
export const mutationResponseSchema = z.object({ poll: z.nullable(pollSchema), user: userSchema });
export type MutationResponse = z.infer<typeof mutationResponseSchema>;

/** The response to closing a poll early. `refunded`: the refund in points. */
export const closePollResponseSchema = z.object({ ...mutationResponseSchema.shape, refunded: z.int() });
export type ClosePollResponse = z.infer<typeof closePollResponseSchema>;

/**
 * The votes of a poll by the hour in which they were cast (`hour`: its beginning, ISO 8601 UTC), oldest first, without hours
 * that have no votes. A changed vote counts for its current option.
 */
export const votesByHourSchema = z.object({
  hours: z.array(z.object({ hour: z.string(), option1: z.int(), option2: z.int() })),
});
export type VotesByHour = z.infer<typeof votesByHourSchema>;
