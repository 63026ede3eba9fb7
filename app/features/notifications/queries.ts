import { useUserQuery } from '#app/lib/engine/user-query.ts';
import {
  countUnread,
  listNotifications,
  type NotificationsView,
} from '#sync/client/cache/notification-reads.ts';

/** The cached notifications; undefined until they are loaded from the device. */
export function useNotifications(): NotificationsView | undefined {
  return useUserQuery(listNotifications);
}

export function useUnreadCount(): number {
  return useUserQuery(countUnread) ?? 0;
}
