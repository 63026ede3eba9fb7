import type { Call } from '#shared/contract.ts';
import * as schemas from './schema.ts';

export const listNotifications = {
  method: 'GET',
  path: '/api/notifications',
  summary: 'Lists the user’s notifications, newest first',
  access: 'user',
  query: schemas.notificationsQuerySchema,
  responses: {
    200: {
      description: 'One page, with the number of all unread notifications',
      content: schemas.notificationsPageSchema,
    },
  },
} as const satisfies Call;

export const markNotificationsRead = {
  method: 'POST',
  path: '/api/notifications/read',
  summary: 'Marks the notifications up to an id as read, but not newer notifications. Idempotent',
  access: 'user',
  json: schemas.readInputSchema,
  responses: {
    204: { description: 'The notifications are read', content: null },
  },
} as const satisfies Call;

export const getPushSubscription = {
  method: 'GET',
  path: '/api/push',
  summary:
    'Returns the key with which a browser subscribes to push messages, and the subscription of this session',
  access: 'user',
  responses: {
    200: { description: 'The key, and the endpoint of this session', content: schemas.pushSchema },
  },
} as const satisfies Call;

export const subscribeToPush = {
  method: 'PUT',
  path: '/api/push',
  summary:
    'Subscribes the browser of this session to push messages until the session ends. An endpoint that belongs to another session moves to this one. Idempotent',
  access: 'user',
  json: schemas.pushSubscriptionSchema,
  responses: { 204: { description: 'The browser is subscribed', content: null } },
} as const satisfies Call;

export const unsubscribeFromPush = {
  method: 'DELETE',
  path: '/api/push',
  summary: 'Unsubscribes the browser of this session from push messages. Idempotent',
  access: 'user',
  responses: {
    204: { description: 'The browser is not subscribed', content: null },
  },
} as const satisfies Call;
