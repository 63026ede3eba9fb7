import { useUserQuery } from '#app/lib/engine/user-query.ts';
import {
  countUnread,
  type NotificationsView,
  readNotifications,
} from '#sync/client/cache/notification-reads.ts';

/** The stored notifications; undefined until they are read. */
export function useNotifications(): NotificationsView | undefined {
  return useUserQuery(readNotifications);
}

export function useUnreadCount(): number {
  return useUserQuery(countUnread) ?? 0;
}
