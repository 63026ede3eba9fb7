import type { Call } from '#shared/contract.ts';
import { pollParamsSchema } from '#shared/polls/schema.ts';
import * as schemas from './schema.ts';

export const reportPoll = {
  method: 'POST',
  path: '/api/questions/{id}/report',
  summary: 'Reports a poll to the administrators and hides it from the user',
  access: 'user',
  params: pollParamsSchema,
  json: schemas.reportInputSchema,
  acceptsKey: true,
  responses: {
    200: {
      description: 'The poll is reported',
      content: schemas.reportedSchema,
    },
  },
  errors: ['own_poll'],
} as const satisfies Call;

export const takeBackReport = {
  method: 'DELETE',
  path: '/api/questions/{id}/report',
  summary: 'Takes back a report and shows the poll to the user again',
  access: 'user',
  params: pollParamsSchema,
  acceptsKey: true,
  responses: {
    200: { description: 'The poll is not reported by this user', content: schemas.reportedSchema },
  },
} as const satisfies Call;

export const blockUser = {
  method: 'PUT',
  path: '/api/blocks/{username}',
  summary: 'Blocks another user, whose polls are hidden from then on',
  access: 'user',
  params: schemas.blockParamsSchema,
  acceptsKey: true,
  responses: {
    204: { description: 'The user is blocked', content: null },
  },
  errors: ['own_account', 'block_limit'],
} as const satisfies Call;

export const unblockUser = {
  method: 'DELETE',
  path: '/api/blocks/{username}',
  summary: 'Unblocks another user, whose polls are shown again',
  access: 'user',
  params: schemas.blockParamsSchema,
  acceptsKey: true,
  responses: { 204: { description: 'The user is not blocked', content: null } },
} as const satisfies Call;

export const listBlocks = {
  method: 'GET',
  path: '/api/blocks',
  summary: 'Lists the users whom the user has blocked',
  access: 'user',
  responses: { 200: { description: 'The blocked users, latest first', content: schemas.blocksSchema } },
} as const satisfies Call;
