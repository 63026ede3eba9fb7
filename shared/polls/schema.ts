import * as z from 'zod/mini';
import { userSchema } from '#shared/accounts/schema.ts';
import { clampedInt, pollIdSchema } from '#shared/http.ts';
import {
  CAPTION_MAX_LENGTH,
  DURATION_ABSENT_DAYS,
  DURATION_MAX_DAYS,
  DURATION_MIN_DAYS,
  FEED_OFFSET_MAX,
  FEED_PAGE_SIZE,
  FEED_PAGE_SIZE_MAX,
  MIN_RESPONSES,
  QUESTION_MAX_LENGTH,
  QUESTION_MISSING,
  RESPONSES_MAX,
  TRENDING_COUNT,
  TRENDING_COUNT_MAX,
  TRENDING_MIN_VOTES,
} from './constants.ts';

export const optionSchema = z.union([z.literal(1), z.literal(2)]);
export type Option = z.infer<typeof optionSchema>;

export const pollStatusSchema = z.enum(['active', 'inactive', 'expired', 'completed']);
export type PollStatus = z.infer<typeof pollStatusSchema>;

/**
 * A status as a client reads it: one that only a newer server knows is read as `inactive`, so that nobody is offered a
 * vote which might be refused.
 */
export const receivedStatusSchema = z.catch(pollStatusSchema, 'inactive');

const sizeSchema = z.object({ width: z.int(), height: z.int() });

/**
 * A poll as one viewer sees it. `votes` holds the viewer's own vote or nothing, with how often it may still be changed
 * (absent: by a server that does not know of changes); `results` (counts) is null
 * for those who may not see them yet. Dates are ISO 8601 UTC, `duration` whole days, sizes pixels,
 * previews ThumbHash in base64 (null for a placeholder).
 */
export const pollSchema = z.object({
  id: pollIdSchema,
  question: z.string(),
  user: z.nullable(z.object({ username: z.string() })),
  option1Image: z.string(),
  option2Image: z.string(),
  option1Caption: z.nullable(z.string()),
  option2Caption: z.nullable(z.string()),
  option1Preview: z.nullable(z.string()),
  option2Preview: z.nullable(z.string()),
  option1Size: z.nullable(sizeSchema),
  option2Size: z.nullable(sizeSchema),
  votesCount: z.int(),
  commentCount: z.int(),
  createdAt: z.string(),
  closesAt: z.string(),
  duration: z.int(),
  active: z.boolean(),
  responsesWanted: z.int(),
  status: receivedStatusSchema,
  votes: z.array(z.object({ option: optionSchema, changesLeft: z.optional(z.int()) })),
  results: z.nullable(z.object({ option1: z.int(), option2: z.int() })),
  isMine: z.boolean(),
  isSample: z.boolean(),
  rev: z.int(),
  votesLast24h: z.optional(z.int()),
});
export type Poll = z.infer<typeof pollSchema>;

/** Text with no NUL and no lone surrogate: neither can be stored. */
const storableText = z.refine<string>(
  (text) => !text.includes('\0') && text.isWellFormed(),
  'Contains characters that cannot be stored',
);

const captionSchema = z.pipe(
  z.optional(
    z
      .string()
      .check(
        z.trim(),
        z.maxLength(CAPTION_MAX_LENGTH, `A caption has at most ${CAPTION_MAX_LENGTH} characters`),
        storableText,
      ),
  ),
  z.transform((text) => (text === undefined || text === '' ? null : text)),
);

/** A whole number in a form, where every value is text; empty or absent gives `fallback`. */
export function wholeNumberText(options: { min: number; max: number; fallback: number; message: string }) {
  return z.pipe(
    z.optional(z.string()),
    z.transform((text, context) => {
      const value = text === undefined || text === '' ? options.fallback : Number(text);
      const isPlain = text === undefined || /^\d{0,9}$/.test(text);
      if (isPlain && value >= options.min && value <= options.max) return value;
      context.issues.push({ code: 'custom', message: options.message, input: text });
      return z.NEVER;
    }),
  );
}

/** The text fields of `POST /api/questions` (multipart, so every value arrives as a string). */
export const createPollFieldsSchema = z.object({
  id: z.optional(pollIdSchema),
  question: z
    .string(QUESTION_MISSING)
    .check(
      z.trim(),
      z.minLength(1, QUESTION_MISSING),
      z.maxLength(QUESTION_MAX_LENGTH, `A question has at most ${QUESTION_MAX_LENGTH} characters`),
      storableText,
    ),
  option1Caption: captionSchema,
  option2Caption: captionSchema,
  duration: wholeNumberText({
    min: DURATION_MIN_DAYS,
    max: DURATION_MAX_DAYS,
    fallback: DURATION_ABSENT_DAYS,
    message: `A poll is open for ${DURATION_MIN_DAYS} to ${DURATION_MAX_DAYS} days`,
  }),
  responsesWanted: wholeNumberText({
    min: MIN_RESPONSES,
    max: RESPONSES_MAX,
    fallback: MIN_RESPONSES,
    message: `A poll asks for at least ${MIN_RESPONSES} responses`,
  }),
});
export type CreatePollFields = z.infer<typeof createPollFieldsSchema>;

export const voteInputSchema = z.object({ option: optionSchema });

export const feedQuerySchema = z.object({
  limit: clampedInt({ min: 1, max: FEED_PAGE_SIZE_MAX, fallback: FEED_PAGE_SIZE }),
  offset: clampedInt({ min: 0, max: FEED_OFFSET_MAX, fallback: 0 }),
  includeCount: z.optional(z.string()),
  cursor: z.optional(z.string()),
});

export const trendingQuerySchema = z.object({
  limit: clampedInt({ min: 1, max: TRENDING_COUNT_MAX, fallback: TRENDING_COUNT }),
  minVotes: clampedInt({ min: 0, max: RESPONSES_MAX, fallback: TRENDING_MIN_VOTES }),
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
 * The answer to a vote and to a creation: the poll and the viewer as they are now.
 * `poll` is null when a replayed call's poll is gone since.
 */
export const mutationAnswerSchema = z.object({ poll: z.nullable(pollSchema), user: userSchema });
export type MutationAnswer = z.infer<typeof mutationAnswerSchema>;
