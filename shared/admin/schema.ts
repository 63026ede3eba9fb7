import * as z from 'zod/mini';
import { USER_ID_MAX } from '#shared/accounts/constants.ts';
import { userSchema } from '#shared/accounts/schema.ts';
import { searchTextSchema } from '#shared/explore/schema.ts';
import { clampedIntParam } from '#shared/http.ts';
import { DURATION_MAX_DAYS, DURATION_MIN_DAYS } from '#shared/polls/constants.ts';
import { intFormField, pollSchema } from '#shared/polls/schema.ts';
import { receivedReasonSchema } from '#shared/reports/schema.ts';
import {
  ADMIN_PAGE_MAX,
  ADMIN_PAGE_SIZE,
  ADMIN_PAGE_SIZE_MAX,
  BULK_DURATION_DEFAULT_DAYS,
  BULK_RESPONSES_DEFAULT,
  BULK_RESPONSES_MAX,
  BULK_RESPONSES_MIN,
  BULK_RESPONSES_STEP,
  SAMPLE_COUNT_INVALID_MESSAGE,
  SAMPLE_COUNT_MAX,
  SAMPLE_COUNT_MIN,
} from './constants.ts';

const USER_NOT_FOUND = 'User not found.';

export const userParamsSchema = z.object({
  id: z.pipe(
    z.string().check(z.regex(/^\d{1,10}$/, USER_NOT_FOUND)),
    z.pipe(z.transform(Number), z.number().check(z.maximum(USER_ID_MAX, USER_NOT_FOUND))),
  ),
});

export const adminCheckSchema = z.object({ isAdmin: z.literal(true) });

export const adminPageQuerySchema = z.object({
  page: clampedIntParam({ min: 1, max: ADMIN_PAGE_MAX, fallback: 1 }),
  limit: clampedIntParam({ min: 1, max: ADMIN_PAGE_SIZE_MAX, fallback: ADMIN_PAGE_SIZE }),
});

export const adminListQuerySchema = z.extend(adminPageQuerySchema, {
  search: z.optional(searchTextSchema),
});

/** With `hasMoreThanTotal`, `total` is a lower bound: counting stopped at `SEARCH_TOTAL_MAX`. */
export const adminPaginationSchema = z.object({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  pages: z.int(),
  hasMoreThanTotal: z.optional(z.literal(true)),
});
export type AdminPagination = z.infer<typeof adminPaginationSchema>;

export const adminUsersSchema = z.object({ users: z.array(userSchema), pagination: adminPaginationSchema });
export type AdminUsers = z.infer<typeof adminUsersSchema>;

export const adminPollsSchema = z.object({ polls: z.array(pollSchema), pagination: adminPaginationSchema });
export type AdminPolls = z.infer<typeof adminPollsSchema>;

export const userActionSchema = z.object({ message: z.string(), user: userSchema });
export type UserAction = z.infer<typeof userActionSchema>;
export const pollActionSchema = z.object({ message: z.string(), poll: pollSchema });
export type PollAction = z.infer<typeof pollActionSchema>;

/** `days` are the last `OVERVIEW_DAYS` in UTC as YYYY-MM-DD, oldest first. `storageBytes` covers database and images. */
export const overviewSchema = z.object({
  users: z.int(),
  polls: z.object({ active: z.int(), inactive: z.int(), expired: z.int(), completed: z.int() }),
  votes: z.int(),
  days: z.array(z.object({ day: z.string(), votes: z.int(), signUps: z.int() })),
  mailsWaiting: z.int(),
  storageBytes: z.int(),
});
export type Overview = z.infer<typeof overviewSchema>;

export const auditActionSchema = z.enum([
  'user.delete',
  'user.suspend',
  'user.unsuspend',
  'poll.delete',
  'poll.deactivate',
  'poll.activate',
  'bulk-upload.start',
  'repair-images.start',
  'generate-polls.start',
  'job.stop',
]);
export type AuditAction = z.infer<typeof auditActionSchema>;

/** Actions about reported polls. Clients of the first release do not know them: `action` has the nearest one they know. */
export const reportAuditActionSchema = z.enum(['report.keep', 'report.remove', 'report.undo']);
export type ReportAuditAction = z.infer<typeof reportAuditActionSchema>;

/**
 * `target` identifies the row ("user 104", "poll <id>", "job <id>") without personal data. `targetName` is the current
 * username or question; null if the target was deleted. `detail`, if present, is more specific than `action`.
 */
export const auditEntrySchema = z.object({
  id: z.int(),
  admin: z.nullable(z.object({ id: z.int(), username: z.string() })),
  action: auditActionSchema,
  detail: z.optional(z.catch(z.optional(reportAuditActionSchema), undefined)),
  target: z.string(),
  targetName: z.nullable(z.string()),
  /** Whether the target is a removed poll, which has no page; absent in responses of older servers. */
  isTargetRemoved: z.optional(z.boolean()),
  createdAt: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export const auditPageSchema = z.object({
  entries: z.array(auditEntrySchema),
  pagination: adminPaginationSchema,
});
export type AuditPage = z.infer<typeof auditPageSchema>;

export const jobKindSchema = z.enum(['bulk-upload', 'repair-images', 'generate-polls']);
export type JobKind = z.infer<typeof jobKindSchema>;
export const jobStateSchema = z.enum(['queued', 'running', 'done', 'failed', 'stopped']);
export type JobState = z.infer<typeof jobStateSchema>;

/**
 * A background job: `done` of `total` items are finished. `message`: the result to show to the user, null until the job ends.
 */
export const jobSchema = z.object({
  id: z.uuid(),
  kind: jobKindSchema,
  state: jobStateSchema,
  done: z.int(),
  total: z.int(),
  message: z.nullable(z.string()),
  createdAt: z.string(),
});
export type Job = z.infer<typeof jobSchema>;
export const jobListSchema = z.array(jobSchema);
export const jobStartedSchema = z.object({ jobId: z.uuid() });

const RESPONSES_INVALID = `Responses wanted are ${BULK_RESPONSES_MIN} to ${BULK_RESPONSES_MAX}, in steps of ${BULK_RESPONSES_STEP}`;

/**
 * The text fields of a bulk upload (multipart, so every value is a string). `id` becomes the job's id and makes retries
 * idempotent: an upload that is sent again with the same id starts no second job.
 */
export const bulkUploadFieldsSchema = z.object({
  id: z.optional(z.uuid()),
  duration: intFormField({
    min: DURATION_MIN_DAYS,
    max: DURATION_MAX_DAYS,
    fallback: BULK_DURATION_DEFAULT_DAYS,
    message: `A poll is open for ${DURATION_MIN_DAYS} to ${DURATION_MAX_DAYS} days`,
  }),
  responsesWanted: intFormField({
    min: BULK_RESPONSES_MIN,
    max: BULK_RESPONSES_MAX,
    fallback: BULK_RESPONSES_DEFAULT,
    message: RESPONSES_INVALID,
  }).check(z.refine((value) => value % BULK_RESPONSES_STEP === 0, RESPONSES_INVALID)),
});
export type BulkUploadFields = z.infer<typeof bulkUploadFieldsSchema>;

/** `id` as in a bulk upload. */
export const generatePollsInputSchema = z.object({
  id: z.optional(z.uuid()),
  count: z
    .int(SAMPLE_COUNT_INVALID_MESSAGE)
    .check(
      z.minimum(SAMPLE_COUNT_MIN, SAMPLE_COUNT_INVALID_MESSAGE),
      z.maximum(SAMPLE_COUNT_MAX, `At most ${SAMPLE_COUNT_MAX} polls can be generated at once`),
    ),
  userId: z.optional(z.int().check(z.minimum(1))),
});
export type GeneratePollsInput = z.infer<typeof generatePollsInputSchema>;

export const pollsCreatedSchema = z.object({ pollsCreated: z.int(), message: z.string() });
export type PollsCreated = z.infer<typeof pollsCreatedSchema>;
export const imagesRepairedSchema = z.object({ checked: z.int(), repaired: z.int(), message: z.string() });
export type ImagesRepaired = z.infer<typeof imagesRepairedSchema>;

/** `state`: polls that wait for a decision (`open`) or have one (`done`). */
export const reportsQuerySchema = z.extend(adminPageQuerySchema, {
  state: z._default(z.enum(['open', 'done']), 'open'),
});

export const reportActionSchema = z.enum(['keep', 'remove', 'suspend', 'undo']);
export type ReportAction = z.infer<typeof reportActionSchema>;
/** `reports`: how many reports the administrator was shown. If there are more or fewer by now, the decision is refused. */
export const reportDecisionInputSchema = z.object({
  action: reportActionSchema,
  reports: z.optional(z.int().check(z.minimum(0))),
});
export type ReportDecisionInput = z.infer<typeof reportDecisionInputSchema>;
export const reportDecisionSchema = z.enum(['keep', 'remove', 'suspend']);
export type ReportDecision = z.infer<typeof reportDecisionSchema>;

/**
 * A reported poll; `id` is the poll's. `reports` (their number), `reasons` (most frequent first), `texts` (the latest ones) and
 * `firstReportAt` are about undecided reports; in a list of decisions, about the reports that were decided. A hidden poll is
 * listed even if all its reports were taken back; `firstReportAt` is then null. `maker` is null once the account is deleted;
 * `polls` and `removedPolls` count all of their polls and the polls that administrators have removed in the last 30 days.
 * `decision`: the latest decision; `rule` is the rule that the poll broke, null if the poll was kept.
 */
export const reportedPollSchema = z.object({
  id: z.uuid(),
  poll: pollSchema,
  maker: z.nullable(
    z.object({
      id: z.int(),
      username: z.string(),
      createdAt: z.string(),
      polls: z.int(),
      removedPolls: z.int(),
      isSuspended: z.boolean(),
      isProtected: z.boolean(),
    }),
  ),
  reports: z.int(),
  reasons: z.array(z.object({ reason: receivedReasonSchema, count: z.int() })),
  texts: z.array(z.string()),
  firstReportAt: z.nullable(z.string()),
  isHidden: z.boolean(),
  decision: z.nullable(
    z.object({
      action: reportDecisionSchema,
      rule: z.nullable(receivedReasonSchema),
      admin: z.nullable(z.string()),
      decidedAt: z.string(),
    }),
  ),
});
export type ReportedPoll = z.infer<typeof reportedPollSchema>;

/** `open` is the number of polls that wait for a decision. */
export const reportsPageSchema = z.object({
  reports: z.array(reportedPollSchema),
  pagination: adminPaginationSchema,
  open: z.int(),
});
export type ReportsPage = z.infer<typeof reportsPageSchema>;
