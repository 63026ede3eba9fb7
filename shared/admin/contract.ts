import { messageSchema } from '#shared/accounts/schema.ts';
import type { Call } from '#shared/contract.ts';
import { uuidParamsSchema } from '#shared/http.ts';
import { pollParamsSchema } from '#shared/polls/schema.ts';
import * as schemas from './schema.ts';

const jobParams = uuidParamsSchema('Job not found.');
const JOB_STARTED = {
  description: 'The started job; its URL is in the Location header',
  content: schemas.jobStartedSchema,
};

export const checkAdmin = {
  method: 'GET',
  path: '/api/admin/check',
  summary: 'Checks whether the user is an administrator',
  access: 'admin',
  responses: { 200: { description: 'The user is an administrator', content: schemas.adminCheckSchema } },
} as const satisfies Call;

export const readOverview = {
  method: 'GET',
  path: '/api/admin/overview',
  summary: 'Returns totals of users, polls and votes, and daily activity',
  access: 'admin',
  responses: {
    200: { description: 'The totals, cached for a few seconds', content: schemas.overviewSchema },
  },
} as const satisfies Call;

export const listUsers = {
  method: 'GET',
  path: '/api/admin/users',
  summary: 'Lists users, newest first; `search` matches parts of usernames and emails',
  access: 'admin',
  query: schemas.adminListQuerySchema,
  responses: { 200: { description: 'One page', content: schemas.adminUsersSchema } },
} as const satisfies Call;

export const listPolls = {
  method: 'GET',
  path: '/api/admin/polls',
  summary: 'Lists polls, newest first; `search` matches parts of questions, captions and makers’ usernames',
  access: 'admin',
  query: schemas.adminListQuerySchema,
  responses: { 200: { description: 'One page', content: schemas.adminPollsSchema } },
} as const satisfies Call;

export const listAudit = {
  method: 'GET',
  path: '/api/admin/audit',
  summary: 'Lists the audit log of administrators’ actions, newest first',
  access: 'admin',
  query: schemas.adminPageQuerySchema,
  responses: { 200: { description: 'One page', content: schemas.auditPageSchema } },
} as const satisfies Call;

export const deleteUser = {
  method: 'DELETE',
  path: '/api/admin/users/{id}',
  summary:
    'Deletes a user; their votes are kept anonymously, and so are their polls unless the user has asked to delete them',
  access: 'admin',
  params: schemas.userParamsSchema,
  responses: { 200: { description: 'The user has been deleted', content: messageSchema } },
  errors: ['protected_account'],
} as const satisfies Call;

export const suspendUser = {
  method: 'POST',
  path: '/api/admin/users/{id}/suspend',
  summary: 'Suspends a user and ends their sessions',
  access: 'admin',
  params: schemas.userParamsSchema,
  responses: { 200: { description: 'The updated user', content: schemas.userActionSchema } },
  errors: ['protected_account'],
} as const satisfies Call;

export const unsuspendUser = {
  ...suspendUser,
  path: '/api/admin/users/{id}/unsuspend',
  summary: 'Lets a suspended user log in again',
} as const satisfies Call;

export const deletePoll = {
  method: 'DELETE',
  path: '/api/admin/polls/{id}',
  summary: 'Deletes a poll with its votes and images; voters keep their points',
  access: 'admin',
  params: pollParamsSchema,
  responses: { 200: { description: 'The poll has been deleted', content: messageSchema } },
} as const satisfies Call;

export const deactivatePoll = {
  method: 'POST',
  path: '/api/admin/polls/{id}/deactivate',
  summary:
    'Deactivates a poll, which then accepts no votes and appears only in the lists of its maker and of administrators',
  access: 'admin',
  params: pollParamsSchema,
  responses: { 200: { description: 'The updated poll', content: schemas.pollActionSchema } },
} as const satisfies Call;

export const activatePoll = {
  ...deactivatePoll,
  path: '/api/admin/polls/{id}/activate',
  summary: 'Activates a poll again',
} as const satisfies Call;

export const uploadPolls = {
  method: 'POST',
  path: '/api/admin/bulk-upload',
  summary: 'Creates a poll from each pair of images, in upload order; all or nothing',
  access: 'admin',
  form: { fields: schemas.bulkUploadFieldsSchema, files: ['images'], areFilesRepeated: true },
  canRespondAsync: true,
  responses: {
    201: { description: 'The polls have been created', content: schemas.pollsCreatedSchema },
    202: JOB_STARTED,
  },
  errors: ['id_taken', 'job_limit'],
} as const satisfies Call;

export const generatePolls = {
  method: 'POST',
  path: '/api/admin/generate-polls',
  summary: 'Generates sample polls, made by a given user or by the administrator',
  access: 'admin',
  json: schemas.generatePollsInputSchema,
  canRespondAsync: true,
  responses: {
    201: { description: 'The polls have been created', content: schemas.pollsCreatedSchema },
    202: JOB_STARTED,
  },
  errors: ['not_found', 'id_taken', 'job_limit'],
} as const satisfies Call;

export const repairImages = {
  method: 'POST',
  path: '/api/admin/repair-images',
  summary: 'Replaces missing or corrupt images with the placeholder',
  access: 'admin',
  canRespondAsync: true,
  responses: {
    200: { description: 'All polls have been checked', content: schemas.imagesRepairedSchema },
    202: JOB_STARTED,
  },
  errors: ['job_limit'],
} as const satisfies Call;

export const listJobs = {
  method: 'GET',
  path: '/api/admin/jobs',
  summary: 'Lists the latest jobs',
  access: 'admin',
  responses: { 200: { description: 'The jobs, newest first', content: schemas.jobListSchema } },
} as const satisfies Call;

export const readJob = {
  method: 'GET',
  path: '/api/admin/jobs/{id}',
  summary: 'Returns the progress of a job',
  access: 'admin',
  params: jobParams,
  responses: { 200: { description: 'The job', content: schemas.jobSchema } },
} as const satisfies Call;

export const stopJob = {
  ...readJob,
  method: 'DELETE',
  summary:
    'Stops a job between two items. Finished items are kept, but a stopped bulk upload creates no polls',
} as const satisfies Call;

export const listReports = {
  method: 'GET',
  path: '/api/admin/reports',
  summary:
    'Lists reported polls, most reported first; with `state=done`, polls with a decision, latest first',
  access: 'admin',
  query: schemas.reportsQuerySchema,
  responses: { 200: { description: 'One page', content: schemas.reportsPageSchema } },
} as const satisfies Call;

export const decideReport = {
  method: 'POST',
  path: '/api/admin/reports/{id}',
  summary:
    'Keeps a reported poll, removes it, removes it and suspends its maker, or takes the decision back within 10 seconds',
  access: 'admin',
  params: pollParamsSchema,
  json: schemas.reportDecisionInputSchema,
  responses: { 200: { description: 'The decision is in effect', content: messageSchema } },
  errors: ['protected_account', 'too_late', 'already_decided', 'reports_changed'],
} as const satisfies Call;
