import * as z from 'zod/mini';
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH, USERNAME_PATTERN } from '#shared/accounts/constants.ts';
import { cleanText, storableText } from '#shared/http.ts';
import { REPORT_TEXT_MAX_LENGTH } from './constants.ts';

/** The rules that a poll can break. */
export const reportReasonSchema = z.enum(['nudity', 'violence', 'hate', 'spam', 'illegal', 'other']);
export type ReportReason = z.infer<typeof reportReasonSchema>;

/** A reason as parsed by a client; reasons of newer servers become `other`. */
export const receivedReasonSchema = z.catch(reportReasonSchema, 'other');

/** What an administrator has decided about a report. */
export const reportVerdictSchema = z.enum(['upheld', 'dismissed']);
export type ReportVerdict = z.infer<typeof reportVerdictSchema>;

/** `text` is stored only for the reason `other`. */
export const reportInputSchema = z.object({
  reason: reportReasonSchema,
  text: z.optional(
    z
      .string()
      .check(
        cleanText,
        z.maxLength(REPORT_TEXT_MAX_LENGTH, `A report has at most ${REPORT_TEXT_MAX_LENGTH} characters`),
        storableText,
      ),
  ),
});
export type ReportInput = z.infer<typeof reportInputSchema>;

/** `reported`: whether the user has reported the poll. */
export const reportedSchema = z.object({ reported: z.boolean() });

const NOBODY = 'There is no user with this name.';

export const blockParamsSchema = z.object({
  username: z
    .string()
    .check(
      z.minLength(USERNAME_MIN_LENGTH, NOBODY),
      z.maxLength(USERNAME_MAX_LENGTH, NOBODY),
      z.regex(USERNAME_PATTERN, NOBODY),
    ),
});

/** A user whose polls the viewer does not see. `blockedAt` is ISO 8601 UTC. */
export const blockSchema = z.object({ username: z.string(), blockedAt: z.string() });
export type Block = z.infer<typeof blockSchema>;
export const blocksSchema = z.object({ blocks: z.array(blockSchema) });
