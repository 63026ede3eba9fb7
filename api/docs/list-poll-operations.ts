import {
  createPollFieldsSchema,
  feedPageSchema,
  feedQuerySchema,
  mutationAnswerSchema,
  pollListSchema,
  pollSchema,
  trendingQuerySchema,
  voteInputSchema,
} from '#shared/polls/schema.ts';
import type { Operation } from './describe-operation.ts';

const KEYED_ERRORS = ['invalid_input', 'invalid_key', 'key_reused', 'in_flight'] as const;

const POLLS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/questions',
    group: 'Polls',
    summary: 'Latest polls, newest first',
    access: 'user',
    query: feedQuerySchema,
    answers: {
      200: { description: 'A page, with an ETag', content: feedPageSchema },
      304: { description: 'Unchanged since the ETag in If-None-Match', content: null },
    },
    errors: ['invalid_input'],
  },
  {
    method: 'post',
    path: '/api/questions',
    group: 'Polls',
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
    errors: [
      ...KEYED_ERRORS,
      'insufficient_points',
      'id_taken',
      'too_large',
      'unsupported_type',
      'undecodable',
      'busy',
    ],
  },
  {
    method: 'get',
    path: '/api/questions/{id}',
    group: 'Polls',
    summary: 'One poll',
    access: 'user',
    answers: { 200: { description: 'The poll as the viewer may see it', content: pollSchema } },
    errors: ['not_found'],
  },
  {
    method: 'put',
    path: '/api/questions/{id}/vote',
    group: 'Polls',
    summary: 'Moves a vote to the other option, at most five times a poll; no points move',
    access: 'user',
    json: voteInputSchema,
    isKeyed: true,
    answers: {
      200: {
        description: 'The poll (null when it is gone since) and the voter',
        content: mutationAnswerSchema,
      },
    },
    errors: [...KEYED_ERRORS, 'not_found', 'not_voted', 'poll_closed', 'change_limit'],
  },
  {
    method: 'post',
    path: '/api/questions/{id}/vote',
    group: 'Polls',
    summary: 'Votes, once a user and poll',
    access: 'user',
    json: voteInputSchema,
    isKeyed: true,
    answers: {
      200: {
        description: 'The poll (null when it is gone since) and the voter after the vote',
        content: mutationAnswerSchema,
      },
    },
    errors: [
      ...KEYED_ERRORS,
      'not_found',
      'own_poll',
      'already_voted',
      'poll_closed',
      'unsupported_type',
      'too_large',
    ],
  },
  {
    method: 'get',
    path: '/api/trending',
    group: 'Polls',
    summary: 'Open polls with the most votes',
    access: 'user',
    query: trendingQuerySchema,
    answers: { 200: { description: 'The polls, the most voted first', content: pollListSchema } },
    errors: ['invalid_input'],
  },
  {
    method: 'get',
    path: '/api/user/questions',
    group: 'Polls',
    summary: 'The polls that the user has made',
    access: 'user',
    answers: { 200: { description: 'The polls, newest first', content: pollListSchema } },
    errors: [],
  },
  {
    method: 'get',
    path: '/uploads/{name}',
    group: 'Polls',
    summary: 'A picture of a poll; `?w=480` gives the small one',
    access: 'anyone',
    answers: { 200: { description: 'The picture, which never changes', content: 'image/webp' } },
    errors: ['not_found'],
  },
];

/** The calls about polls, votes and pictures. */
export function listPollOperations(): readonly Operation[] {
  return POLLS;
}
