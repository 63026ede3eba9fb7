import { and, lte, sql } from 'drizzle-orm';
import { notifications } from '#api/db/schema/notifications.ts';
import type { AppDeps } from '#api/deps.ts';
import { isUnreadOf } from './queries.ts';

/** Marks a user's notifications up to the id `upTo` as read, and sends a live update. Idempotent, so it needs no receipt. */
export async function markNotificationsRead(
  { db, live }: Pick<AppDeps, 'db' | 'live'>,
  userId: number,
  upTo: number,
): Promise<void> {
  const marked = await db.orm
    .update(notifications)
    .set({ readAt: sql`now()` })
    .where(and(isUnreadOf(userId), lte(notifications.id, upTo)));
  if (marked.count > 0) live.publish({ type: 'notifications', userId });
}
