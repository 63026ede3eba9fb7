import { messageSchema } from '#shared/accounts/schema.ts';
import type { Call } from '#shared/contract.ts';
import { uuidParams } from '#shared/http.ts';
import {
  adminCheckSchema,
  adminListQuerySchema,
  adminPageQuerySchema,
  adminPollsSchema,
  adminUsersSchema,
  auditPageSchema,
  bulkUploadFieldsSchema,
  generatePollsInputSchema,
  imagesRepairedSchema,
  jobListSchema,
  jobSchema,
  jobStartedSchema,
  overviewSchema,
  pollActionSchema,
  pollsCreatedSchema,
  userActionSchema,
  userParamsSchema,
} from './schema.ts';

const pollParams = uuidParams('Poll not found.');
const jobParams = uuidParams('Job not found.');
const JOB_STARTED = {
  description: 'The job that does it, with its address in Location',
  content: jobStartedSchema,
};

export const checkAdmin = {
  method: 'GET',
  path: '/api/admin/check',
  summary: 'Whether the user is an administrator',
  access: 'admin',
  answers: { 200: { description: 'They are', content: adminCheckSchema } },
} as const satisfies Call;

export const readOverview = {
  method: 'GET',
  path: '/api/admin/overview',
  summary: 'How much there is of what, and what the last days brought',
  access: 'admin',
  answers: { 200: { description: 'The figures, a few seconds old at most', content: overviewSchema } },
} as const satisfies Call;

export const listUsers = {
  method: 'GET',
  path: '/api/admin/users',
  summary: 'The users, newest first; a search finds parts of names and addresses',
  access: 'admin',
  query: adminListQuerySchema,
  answers: { 200: { description: 'A page', content: adminUsersSchema } },
} as const satisfies Call;

export const listPolls = {
  method: 'GET',
  path: '/api/admin/polls',
  summary: 'The polls, newest first; a search finds parts of questions and of makers’ names',
  access: 'admin',
  query: adminListQuerySchema,
  answers: { 200: { description: 'A page', content: adminPollsSchema } },
} as const satisfies Call;

export const listAudit = {
  method: 'GET',
  path: '/api/admin/audit',
  summary: 'What administrators have done, newest first',
  access: 'admin',
  query: adminPageQuerySchema,
  answers: { 200: { description: 'A page', content: auditPageSchema } },
} as const satisfies Call;

export const deleteUser = {
  method: 'DELETE',
  path: '/api/admin/users/{id}',
  summary: 'Deletes a user; their polls and votes stay without a name',
  access: 'admin',
  params: userParamsSchema,
  answers: { 200: { description: 'The user is gone', content: messageSchema } },
  errors: ['protected_account'],
} as const satisfies Call;

export const suspendUser = {
  method: 'POST',
  path: '/api/admin/users/{id}/suspend',
  summary: 'Suspends a user and ends their sessions',
  access: 'admin',
  params: userParamsSchema,
  answers: { 200: { description: 'The user as they are now', content: userActionSchema } },
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
  summary: 'Deletes a poll with its votes and pictures; voters keep their points',
  access: 'admin',
  params: pollParams,
  answers: { 200: { description: 'The poll is gone', content: messageSchema } },
} as const satisfies Call;

export const deactivatePoll = {
  method: 'POST',
  path: '/api/admin/polls/{id}/deactivate',
  summary: 'Closes a poll to votes and takes it out of every feed',
  access: 'admin',
  params: pollParams,
  answers: { 200: { description: 'The poll as it is now', content: pollActionSchema } },
} as const satisfies Call;

export const activatePoll = {
  ...deactivatePoll,
  path: '/api/admin/polls/{id}/activate',
  summary: 'Puts a poll back into the feeds',
} as const satisfies Call;

export const uploadPolls = {
  method: 'POST',
  path: '/api/admin/bulk-upload',
  summary: 'Makes a poll of each two pictures, in order: all of them, or none',
  access: 'admin',
  form: { fields: bulkUploadFieldsSchema, files: ['images'], areFilesRepeated: true },
  isJob: true,
  answers: { 201: { description: 'The polls are there', content: pollsCreatedSchema }, 202: JOB_STARTED },
  errors: ['id_taken'],
} as const satisfies Call;

export const generatePolls = {
  method: 'POST',
  path: '/api/admin/generate-polls',
  summary: 'Makes sample polls, in the name of a user or of the administrator',
  access: 'admin',
  json: generatePollsInputSchema,
  isJob: true,
  answers: { 201: { description: 'The polls are there', content: pollsCreatedSchema }, 202: JOB_STARTED },
  errors: ['not_found'],
} as const satisfies Call;

export const repairImages = {
  method: 'POST',
  path: '/api/admin/repair-images',
  summary: 'Puts the placeholder in the place of each picture that is missing or broken',
  access: 'admin',
  isJob: true,
  answers: { 200: { description: 'All polls are checked', content: imagesRepairedSchema }, 202: JOB_STARTED },
} as const satisfies Call;

export const listJobs = {
  method: 'GET',
  path: '/api/admin/jobs',
  summary: 'The newest jobs',
  access: 'admin',
  answers: { 200: { description: 'The jobs, newest first', content: jobListSchema } },
} as const satisfies Call;

export const readJob = {
  method: 'GET',
  path: '/api/admin/jobs/{id}',
  summary: 'How far a job is',
  access: 'admin',
  params: jobParams,
  answers: { 200: { description: 'The job', content: jobSchema } },
} as const satisfies Call;

export const stopJob = {
  ...readJob,
  method: 'DELETE',
  summary: 'Stops a job between two items; what it made stays',
} as const satisfies Call;
