import * as z from 'zod/mini';
import { messageSchema } from '#shared/accounts/schema.ts';
import type { Call } from '#shared/contract.ts';
import * as schemas from './schema.ts';

export const readFeed = {
  method: 'GET',
  path: '/api/questions',
  summary: 'Lists the latest polls, newest first',
  access: 'user',
  query: schemas.feedQuerySchema,
  responses: {
    200: { description: 'One page, with an ETag', content: schemas.feedPageSchema },
    304: { description: 'Unchanged since the ETag in If-None-Match', content: null },
  },
} as const satisfies Call;

export const createPoll = {
  method: 'POST',
  path: '/api/questions',
  summary: 'Creates a poll with two images and deducts its cost',
  access: 'user',
  form: { fields: schemas.createPollFieldsSchema, files: ['option1Image', 'option2Image'] },
  acceptsKey: true,
  responses: {
    200: {
      description:
        'The user has already created a poll with this id: its current state, or null if it was deleted',
      content: schemas.mutationResponseSchema,
    },
    201: { description: 'The new poll and the updated user', content: schemas.mutationResponseSchema },
  },
  errors: ['insufficient_points', 'id_taken'],
} as const satisfies Call;

export const readPoll = {
  method: 'GET',
  path: '/api/questions/{id}',
  summary: 'Returns a poll',
  access: 'user',
  params: schemas.pollParamsSchema,
  responses: { 200: { description: 'The poll as visible to the viewer', content: schemas.pollSchema } },
} as const satisfies Call;

export const castVote = {
  method: 'POST',
  path: '/api/questions/{id}/vote',
  summary: 'Casts a vote; one per user and poll',
  access: 'user',
  params: schemas.pollParamsSchema,
  json: schemas.voteInputSchema,
  acceptsKey: true,
  responses: {
    200: {
      description: 'The poll (null if deleted in the meantime) and the user after the vote',
      content: schemas.mutationResponseSchema,
    },
  },
  errors: ['own_poll', 'vote_limit', 'already_voted', 'poll_closed'],
} as const satisfies Call;

export const changeVote = {
  ...castVote,
  method: 'PUT',
  summary: 'Changes a vote to the other option, at most five times per poll; points are unaffected',
  responses: {
    200: {
      description: 'The poll (null if deleted in the meantime) and the user',
      content: schemas.mutationResponseSchema,
    },
  },
  errors: ['not_voted', 'poll_closed', 'change_limit'],
} as const satisfies Call;

export const closePoll = {
  method: 'POST',
  path: '/api/questions/{id}/close',
  summary: 'Closes the user’s own poll early and refunds the unused responses',
  access: 'user',
  params: schemas.pollParamsSchema,
  acceptsKey: true,
  responses: {
    200: {
      description: 'The poll (null if deleted in the meantime), the user, and the refunded points',
      content: schemas.closePollResponseSchema,
    },
  },
  errors: ['not_yours', 'poll_closed'],
} as const satisfies Call;

export const deleteOwnPoll = {
  method: 'DELETE',
  path: '/api/questions/{id}',
  summary: 'Deletes the user’s own poll with its votes and images',
  access: 'user',
  params: schemas.pollParamsSchema,
  responses: {
    200: { description: 'Deleted; nothing is refunded', content: messageSchema },
  },
  errors: ['not_yours'],
} as const satisfies Call;

export const readVotesByHour = {
  method: 'GET',
  path: '/api/questions/{id}/votes-by-hour',
  summary: 'Counts the votes of the user’s own poll by hour',
  access: 'user',
  params: schemas.pollParamsSchema,
  responses: { 200: { description: 'The hours with votes', content: schemas.votesByHourSchema } },
  errors: ['not_yours'],
} as const satisfies Call;

export const readResultsCsv = {
  method: 'GET',
  path: '/api/questions/{id}/results.csv',
  summary: 'Returns the results of the user’s own poll and its votes by hour as a CSV file',
  access: 'user',
  params: schemas.pollParamsSchema,
  responses: { 200: { description: 'The file', content: 'text/csv' } },
  errors: ['not_yours'],
} as const satisfies Call;

export const readTrending = {
  method: 'GET',
  path: '/api/trending',
  summary: 'Lists the active polls with the most votes',
  access: 'user',
  query: schemas.trendingQuerySchema,
  responses: { 200: { description: 'The polls, most votes first', content: schemas.pollListSchema } },
} as const satisfies Call;

export const listOwnPolls = {
  method: 'GET',
  path: '/api/user/questions',
  summary: 'Lists the polls of the logged-in user',
  access: 'user',
  responses: { 200: { description: 'The polls, newest first', content: schemas.pollListSchema } },
} as const satisfies Call;

const shareParams = z.object({ slug: schemas.slugSchema });

export const readSharedPoll = {
  method: 'GET',
  path: '/api/share/{slug}',
  summary: 'Returns the poll of a share link to anybody, without vote counts while the poll is open',
  access: 'anyone',
  params: shareParams,
  responses: {
    200: { description: 'The poll as anybody may see it', content: schemas.sharedPollSchema },
  },
} as const satisfies Call;

export const readCardImage = {
  method: 'GET',
  path: '/s/{slug}/card.jpg',
  summary: 'Returns the card image of a share link, for previews of the link: 1200 by 630 pixels',
  access: 'public',
  params: shareParams,
  responses: {
    200: { description: 'The image, to be cached for an hour', content: 'image/jpeg' },
    304: { description: 'Unchanged since the ETag in If-None-Match', content: null },
  },
  isRateLimited: true,
  errors: ['unavailable', 'busy'],
} as const satisfies Call;

export const readImage = {
  method: 'GET',
  path: '/uploads/{name}',
  summary: 'Returns an image of a poll; `?w=480` selects the small size',
  access: 'public',
  responses: {
    200: { description: 'The image, to be cached for a day', content: 'image/webp' },
    304: { description: 'Unchanged since the ETag in If-None-Match', content: null },
  },
  isRateLimited: true,
  errors: ['not_found', 'unavailable'],
} as const satisfies Call;
