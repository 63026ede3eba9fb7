import type { Call } from '#shared/contract.ts';
import { uuidParams } from '#shared/http.ts';
import {
  createPollFieldsSchema,
  feedPageSchema,
  feedQuerySchema,
  mutationAnswerSchema,
  pollListSchema,
  pollSchema,
  trendingQuerySchema,
  voteInputSchema,
} from './schema.ts';

const pollParams = uuidParams('Poll not found.');

export const readFeed = {
  method: 'GET',
  path: '/api/questions',
  summary: 'Latest polls, newest first',
  access: 'user',
  query: feedQuerySchema,
  answers: {
    200: { description: 'A page, with an ETag', content: feedPageSchema },
    304: { description: 'Unchanged since the ETag in If-None-Match', content: null },
  },
} as const satisfies Call;

export const createPoll = {
  method: 'POST',
  path: '/api/questions',
  summary: 'Makes a poll of two pictures and takes its price',
  access: 'user',
  form: { fields: createPollFieldsSchema, files: ['option1Image', 'option2Image'] },
  isKeyed: true,
  answers: {
    200: {
      description: 'The user had made a poll of this id already: as it is, null when it is gone',
      content: mutationAnswerSchema,
    },
    201: { description: 'The new poll and its maker', content: mutationAnswerSchema },
  },
  errors: ['insufficient_points', 'id_taken'],
} as const satisfies Call;

export const readPoll = {
  method: 'GET',
  path: '/api/questions/{id}',
  summary: 'One poll',
  access: 'user',
  params: pollParams,
  answers: { 200: { description: 'The poll as the viewer may see it', content: pollSchema } },
} as const satisfies Call;

export const castVote = {
  method: 'POST',
  path: '/api/questions/{id}/vote',
  summary: 'Votes, once a user and poll',
  access: 'user',
  params: pollParams,
  json: voteInputSchema,
  isKeyed: true,
  answers: {
    200: {
      description: 'The poll (null when it is gone since) and the voter after the vote',
      content: mutationAnswerSchema,
    },
  },
  errors: ['own_poll', 'already_voted', 'poll_closed'],
} as const satisfies Call;

export const changeVote = {
  method: 'PUT',
  path: '/api/questions/{id}/vote',
  summary: 'Moves a vote to the other option, at most five times a poll; no points move',
  access: 'user',
  params: pollParams,
  json: voteInputSchema,
  isKeyed: true,
  answers: {
    200: {
      description: 'The poll (null when it is gone since) and the voter',
      content: mutationAnswerSchema,
    },
  },
  errors: ['not_voted', 'poll_closed', 'change_limit'],
} as const satisfies Call;

export const readTrending = {
  method: 'GET',
  path: '/api/trending',
  summary: 'Open polls with the most votes',
  access: 'user',
  query: trendingQuerySchema,
  answers: { 200: { description: 'The polls, the most voted first', content: pollListSchema } },
} as const satisfies Call;

export const listOwnPolls = {
  method: 'GET',
  path: '/api/user/questions',
  summary: 'The polls that the user has made',
  access: 'user',
  answers: { 200: { description: 'The polls, newest first', content: pollListSchema } },
} as const satisfies Call;

export const readImage = {
  method: 'GET',
  path: '/uploads/{name}',
  summary: 'A picture of a poll; `?w=480` gives the small one',
  access: 'public',
  answers: { 200: { description: 'The picture, which never changes', content: 'image/webp' } },
  errors: ['not_found'],
} as const satisfies Call;
