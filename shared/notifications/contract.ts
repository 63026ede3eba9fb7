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
  responses: { 204: { description: 'They are read, by this request or an earlier one', content: null } },
} as const satisfies Call;

export const readPush = {
  method: 'GET',
  path: '/api/push',
  summary: 'Returns what a browser needs to subscribe to push messages, and whether it has',
  access: 'user',
  responses: {
    200: { description: 'The key, and the endpoint of this session', content: schemas.pushSchema },
  },
} as const satisfies Call;

export const subscribeToPush = {
  method: 'PUT',
  path: '/api/push',
  summary:
    'Has push messages sent to the browser of this session, until it ends. An endpoint of another session moves here. May be repeated',
  access: 'user',
  json: schemas.pushSubscriptionSchema,
  responses: { 204: { description: 'Push messages go there', content: null } },
} as const satisfies Call;

export const unsubscribeFromPush = {
  method: 'DELETE',
  path: '/api/push',
  summary: 'Ends the push messages to the browser of this session. May be repeated',
  access: 'user',
  responses: { 204: { description: 'None go there, since this request or an earlier one', content: null } },
} as const satisfies Call;
