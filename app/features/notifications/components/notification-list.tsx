import { Bell, CheckCheck, MessageCircle } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import {
  loadMoreNotifications,
  markNotificationsRead,
  refreshNotifications,
} from '#app/features/notifications/actions.ts';
import { useNotifications } from '#app/features/notifications/queries.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useLastPull } from '#app/lib/engine/use-last-pull.ts';
import { useRetry } from '#app/lib/engine/use-retry.ts';
import { groupByDay } from '#app/lib/time.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { DaySection, DaySkeleton } from '#app/ui/day-list.tsx';
import { EmptyState, IconPair } from '#app/ui/feedback/empty-state.tsx';
import { ListError, NotOnDevice } from '#app/ui/feedback/list-error.tsx';
import { PageLoader } from '#app/ui/feedback/page-loader.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { NOTIFICATIONS_KEPT_DAYS } from '#shared/notifications/constants.ts';
import type { Notification } from '#shared/notifications/schema.ts';
import type { PollSummary } from '#shared/polls/schema.ts';
import { NotificationRow } from './notification-row.tsx';

type Props = {
  createButton: ReactNode;
  /** Shown below an empty list. */
  pushSwitch: ReactNode;
  renderThumbnail(poll: PollSummary): ReactNode;
};

/** Shows the cached notifications by day, and refreshes them. Leaving the screen marks them as read. */
export function NotificationList({ createButton, pushSwitch, renderThumbnail }: Props) {
  const view = useNotifications();
  const now = useServerNow();
  const isReachable = useReachable();
  const { result, storeResult, clear } = useLastPull(isReachable);
  useEffect(() => storeResult(refreshNotifications()), [storeResult]);
  useRetry(view?.meta == null && isReachable && result === 'unreachable', () => {
    clear();
    storeResult(refreshNotifications());
  });
  useMarkReadOnLeave(view?.items);

  if (view === undefined) return <DaySkeleton label="Loading notifications" />;
  const { items, unread, meta } = view;
  if (meta === null) {
    if (!isReachable || result === 'unreachable') return <NotOnDevice subject="your notifications" />;
    if (result !== null && result !== 'updated') return <ListError subject="notifications" />;
    return <DaySkeleton label="Loading notifications" />;
  }
  const [newest] = items;
  if (newest === undefined) {
    return (
      <>
        <EmptyState
          graphic={<IconPair icons={[Bell, MessageCircle]} />}
          title="No Notifications Yet"
          text="Ask something: the first vote, halfway and the result show up here."
        >
          {createButton}
        </EmptyState>
        <div className="mt-10 card px-4 py-2">{pushSwitch}</div>
      </>
    );
  }
  return (
    <FocusFallback>
      {unread > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-1 pt-2">
          <p aria-live="polite" className="text-body text-muted">
            {unread} new
          </p>
          <SecondaryButton ghost onClick={() => void markNotificationsRead(newest.id)} className="px-2">
            <Icon icon={CheckCheck} /> Mark all read
          </SecondaryButton>
        </div>
      )}
      {groupByDay(items, now).map(({ day, items: rows }) => (
        <DaySection key={day} title={day}>
          {rows.map((notification) => (
            <li key={notification.id} data-unread={notification.readAt === null ? '' : undefined}>
              <NotificationRow notification={notification} renderThumbnail={renderThumbnail} />
            </li>
          ))}
        </DaySection>
      ))}
      <ListEnd hasMore={meta.hasMore} cursor={meta.nextCursor} />
    </FocusFallback>
  );
}

/**
 * Marks notifications up to the newest of `items` as read when the user leaves the screen or the app. Those that arrive in a hidden
 * tab have not been seen. A phone may end a hidden app without a further event, so this does not wait for `pagehide`. After a logout
 * on this screen they remain unread: the user's changes can no longer be queued.
 */
function useMarkReadOnLeave(items: readonly Notification[] | undefined): void {
  const markRead = useEffectEvent(() => {
    const newest = items?.[0];
    if (newest?.readAt === null) void markNotificationsRead(newest.id);
  });
  useEffect(() => {
    const onChange = () => {
      if (document.hidden) markRead();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      document.removeEventListener('visibilitychange', onChange);
      if (!document.hidden) markRead();
    };
  }, []);
}

function ListEnd({ hasMore, cursor }: { hasMore: boolean; cursor: string | null }) {
  const isReachable = useReachable();
  if (hasMore && isReachable) return <PageLoader key={cursor} load={loadMoreNotifications} />;
  return (
    <p className="py-4 text-center text-body text-muted">
      {hasMore
        ? 'Older notifications appear once you are online.'
        : `No more notifications. They are kept for ${NOTIFICATIONS_KEPT_DAYS} days.`}
    </p>
  );
}
