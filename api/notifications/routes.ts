import type { AppDeps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { sessionUserOf } from '#api/http/session/session.ts';
import * as calls from '#shared/notifications/contract.ts';
import { listNotifications } from './list-notifications.ts';
import { markNotificationsRead } from './mark-read.ts';
import { findEndpoint, subscribeToPush, unsubscribeFromPush } from './push/subscribe.ts';

export function notificationRoutes(deps: AppDeps): CallRouter {
  return new CallRouter()
    .answer(calls.listNotifications, ({ user, query }) => listNotifications(deps.db, user.id, query))
    .answer(calls.markNotificationsRead, async ({ c, user, json }) => {
      await markNotificationsRead(deps, user.id, json.upTo);
      return c.body(null);
    })
    .answer(calls.getPushSubscription, async ({ c, user }) => ({
      publicKey: deps.pushes.publicKey,
      endpoint: await findEndpoint(deps, sessionUserOf(c, user)),
    }))
    .answer(calls.subscribeToPush, async ({ c, user, json }) => {
      await deps.limits.pushSubscriptionsOfUser.take(user.id);
      await subscribeToPush(deps, sessionUserOf(c, user), json);
      return c.body(null);
    })
    .answer(calls.unsubscribeFromPush, async ({ c, user }) => {
      await unsubscribeFromPush(deps, sessionUserOf(c, user));
      return c.body(null);
    });
}
