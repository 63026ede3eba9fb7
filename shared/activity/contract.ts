import type { Call } from '#shared/contract.ts';
import * as schemas from './schema.ts';

export const readActivity = {
  method: 'GET',
  path: '/api/activity',
  summary: 'Lists the points that the user has earned and spent, newest first',
  access: 'user',
  query: schemas.activityQuerySchema,
  responses: { 200: { description: 'One page of the ledger', content: schemas.activityPageSchema } },
} as const satisfies Call;
