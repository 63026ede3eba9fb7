import type { AppDeps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import * as calls from '#shared/notifications/contract.ts';
import { markNotificationsRead } from './mark-read.ts';
import { readNotifications } from './read-notifications.ts';

export function notificationRoutes(deps: AppDeps): CallRouter {
  return new CallRouter()
    .answer(calls.listNotifications, ({ user, query }) => readNotifications(deps.db, user.id, query))
    .answer(calls.markNotificationsRead, async ({ c, user, json }) => {
      await markNotificationsRead(deps, user.id, json.upTo);
      return c.body(null);
    });
}
