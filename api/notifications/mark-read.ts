import type { AppDeps } from '#api/deps.ts';
import { markRead } from './queries.ts';

/** Marks a user's notifications up to the id `upTo` as read, and sends a live update. Idempotent, so it needs no receipt. */
export async function markNotificationsRead(
  { db, live }: Pick<AppDeps, 'db' | 'live'>,
  userId: number,
  upTo: number,
): Promise<void> {
  if (await markRead(db, userId, upTo)) live.publish({ type: 'notifications', userId });
}
