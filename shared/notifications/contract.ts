import type { Call } from '#shared/contract.ts';
import * as schemas from './schema.ts';

export const listNotifications = {
  method: 'GET',
  path: '/api/notifications',
  summary: 'Lists what happened to the user’s polls, friends and reports, newest first',
  access: 'user',
  query: schemas.notificationsQuerySchema,
  responses: {
    200: {
      description: 'One page, with the number of unread ones',
      content: schemas.notificationsPageSchema,
    },
  },
} as const satisfies Call;

export const markNotificationsRead = {
  method: 'POST',
  path: '/api/notifications/read',
  summary: 'Marks notifications up to an id as read; later ones stay unread. May be repeated',
  access: 'user',
  json: schemas.readInputSchema,
  responses: { 204: { description: 'They are read, now or before', content: null } },
} as const satisfies Call;
