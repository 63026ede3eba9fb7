import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { UserDb } from '#sync/client/db.ts';
import { hasPassed } from '#sync/client/has-passed.ts';

/** A feed that was requested within this time has missed no live updates that are worth a fetch of each of its polls. */
const RECENT_FEED_MS = 10_000;

/** The ids of the cached polls that may be outdated, by the database of this tab. */
const staleIds = new WeakMap<UserDb, Set<string>>();

/**
 * Marks all cached polls as stale, because this tab may have missed live updates about them, except those on page 1 of a feed that
 * was requested within 10 seconds, as at a slow start. `nowMs`: milliseconds since 1970.
 */
export async function markAllStale(db: UserDb, nowMs: number): Promise<void> {
  staleIds.set(db, new Set(await db.polls.toCollection().primaryKeys()));
  const meta = await db.listMeta.get('feed');
  if (meta !== undefined && !hasPassed(meta.fetchedAt + RECENT_FEED_MS, nowMs, RECENT_FEED_MS))
    await markFirstPageFresh(db);
}

/** Marks the polls on page 1 of the stored feed as fresh, and returns their ids. */
export async function markFirstPageFresh(db: UserDb): Promise<string[]> {
  const ids = await db.feed.where('position').between(0, FEED_PAGE_SIZE).primaryKeys();
  markFresh(db, ids);
  return ids;
}

/** To be called with the polls that the server has just sent, or has said to be unchanged. */
export function markFresh(db: UserDb, pollIds: readonly string[]): void {
  for (const id of pollIds) staleIds.get(db)?.delete(id);
}

/** Whether a poll is stale: it was not marked as fresh since it was marked as stale. */
export function isStale(db: UserDb, pollId: string): boolean {
  return staleIds.get(db)?.has(pollId) ?? false;
}
