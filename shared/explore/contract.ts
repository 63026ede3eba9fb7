import type { Call } from '#shared/contract.ts';
import * as schemas from './schema.ts';

export const readDeck = {
  method: 'GET',
  path: '/api/explore',
  summary:
    'Lists open polls that the user can vote on, in an order that depends on the user and the day (UTC)',
  access: 'user',
  query: schemas.deckQuerySchema,
  responses: { 200: { description: 'One page', content: schemas.deckPageSchema } },
} as const satisfies Call;

export const searchPolls = {
  method: 'GET',
  path: '/api/search',
  summary: 'Finds polls by a part of their question, a caption or their maker’s username',
  access: 'user',
  query: schemas.searchQuerySchema,
  responses: { 200: { description: 'One page', content: schemas.searchPageSchema } },
} as const satisfies Call;
