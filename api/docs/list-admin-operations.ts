import { messageSchema } from '#shared/accounts/schema.ts';
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
} from '#shared/admin/schema.ts';
import type { Operation } from './describe-operation.ts';

const JOB_STARTED = {
  description: 'The job that does it, with its address in Location',
  content: jobStartedSchema,
};

type AdminCall = Omit<Operation, 'group' | 'access'>;

const LISTS: readonly AdminCall[] = [
  {
    method: 'get',
    path: '/api/admin/check',
    summary: 'Whether the user is an administrator',
    answers: { 200: { description: 'They are', content: adminCheckSchema } },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/admin/overview',
    summary: 'How much there is of what, and what the last days brought',
    answers: { 200: { description: 'The figures, a few seconds old at most', content: overviewSchema } },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/admin/users',
    summary: 'The users, newest first; a search finds parts of names and addresses',
    query: adminListQuerySchema,
    answers: { 200: { description: 'A page', content: adminUsersSchema } },
    errors: ['invalid_input'],
  },
  {
    method: 'get',
    path: '/api/admin/polls',
    summary: 'The polls, newest first; a search finds parts of questions and of makers’ names',
    query: adminListQuerySchema,
    answers: { 200: { description: 'A page', content: adminPollsSchema } },
    errors: ['invalid_input'],
  },
  {
    method: 'get',
    path: '/api/admin/audit',
    summary: 'What administrators have done, newest first',
    query: adminPageQuerySchema,
    answers: { 200: { description: 'A page', content: auditPageSchema } },
    errors: ['invalid_input'],
  },
];

const ACTIONS: readonly AdminCall[] = [
  {
    method: 'delete',
    path: '/api/admin/users/{id}',
    summary: 'Deletes a user; their polls and votes stay without a name',
    answers: { 200: { description: 'The user is gone', content: messageSchema } },
    errors: ['protected_account', 'not_found'],
  },
  ...(
    [
      ['suspend', 'Suspends a user and ends their sessions'],
      ['unsuspend', 'Lets a suspended user log in again'],
    ] as const
  ).map(([verb, summary]): AdminCall => {
    return {
      method: 'post',
      path: `/api/admin/users/{id}/${verb}`,
      summary,
      answers: { 200: { description: 'The user as they are now', content: userActionSchema } },
      errors: ['protected_account', 'not_found'],
    };
  }),
  {
    method: 'delete',
    path: '/api/admin/polls/{id}',
    summary: 'Deletes a poll with its votes and pictures; voters keep their points',
    answers: { 200: { description: 'The poll is gone', content: messageSchema } },
    errors: ['not_found'],
  },
  ...(
    [
      ['deactivate', 'Closes a poll to votes and takes it out of every feed'],
      ['activate', 'Puts a poll back into the feeds'],
    ] as const
  ).map(([verb, summary]): AdminCall => {
    return {
      method: 'post',
      path: `/api/admin/polls/{id}/${verb}`,
      summary,
      answers: { 200: { description: 'The poll as it is now', content: pollActionSchema } },
      errors: ['not_found'],
    };
  }),
];

const JOBS: readonly AdminCall[] = [
  {
    method: 'post',
    path: '/api/admin/bulk-upload',
    summary: 'Makes a poll of each two pictures, in order: all of them, or none',
    form: { fields: bulkUploadFieldsSchema, files: ['images'], areFilesRepeated: true },
    isJob: true,
    answers: {
      201: { description: 'The polls are there', content: pollsCreatedSchema },
      202: JOB_STARTED,
    },
    errors: ['invalid_input', 'too_large', 'unsupported_type', 'undecodable', 'busy'],
  },
  {
    method: 'post',
    path: '/api/admin/generate-polls',
    summary: 'Makes sample polls, in the name of a user or of the administrator',
    json: generatePollsInputSchema,
    isJob: true,
    answers: {
      201: { description: 'The polls are there', content: pollsCreatedSchema },
      202: JOB_STARTED,
    },
    errors: ['invalid_input', 'not_found', 'unsupported_type', 'too_large'],
  },
  {
    method: 'post',
    path: '/api/admin/repair-images',
    summary: 'Puts the placeholder in the place of each picture that is missing or broken',
    isJob: true,
    answers: {
      200: { description: 'All polls are checked', content: imagesRepairedSchema },
      202: JOB_STARTED,
    },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/admin/jobs',
    summary: 'The newest jobs',
    answers: { 200: { description: 'The jobs, newest first', content: jobListSchema } },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/admin/jobs/{id}',
    summary: 'How far a job is',
    answers: { 200: { description: 'The job', content: jobSchema } },
    errors: ['not_found'],
  },
  {
    method: 'delete',
    path: '/api/admin/jobs/{id}',
    summary: 'Stops a job between two items; what it made stays',
    answers: { 200: { description: 'The job', content: jobSchema } },
    errors: ['not_found'],
  },
];

/** The calls of administrators. */
export function listAdminOperations(): readonly Operation[] {
  return [...LISTS, ...ACTIONS, ...JOBS].map((call) => {
    return { ...call, group: 'Administration', access: 'admin' };
  });
}
