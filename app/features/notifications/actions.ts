import { loadEngine } from '#app/lib/engine/engine.ts';
import { hasLoadedMore } from '#app/lib/engine/pull-result.ts';
import { logWarning } from '#app/lib/log.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';

/** Pulls the newest notifications into the cache. */
export async function refreshNotifications(): Promise<PullResult> {
  return (await loadEngine()).pullNotifications();
}

/** Appends older notifications; false when they could not be loaded. */
export async function loadMoreNotifications(): Promise<boolean> {
  return hasLoadedMore((await loadEngine()).pullMoreNotifications(), 'Older notifications');
}

/** Marks notifications up to the id `upToId` as read. If the change cannot be stored, they remain unread. Never throws. */
export async function markNotificationsRead(upToId: number): Promise<void> {
  try {
    await (await loadEngine()).queue({ type: 'markRead', payload: { upTo: upToId } });
  } catch (error) {
    logWarning('Notifications could not be marked as read:', error);
  }
}
