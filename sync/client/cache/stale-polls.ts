import type { UserDb } from '#sync/client/db.ts';

/** The ids of the cached polls that may be outdated, by the database of this tab. */
const staleIds = new WeakMap<UserDb, Set<string>>();

/** Marks all cached polls as stale, because this tab may have missed live updates about them. */
export async function markAllStale(db: UserDb): Promise<void> {
  staleIds.set(db, new Set(await db.polls.toCollection().primaryKeys()));
}

/** To be called with the polls that the server has just sent, or has said to be unchanged. */
export function markFresh(db: UserDb, pollIds: readonly string[]): void {
  for (const id of pollIds) staleIds.get(db)?.delete(id);
}

/** Whether a poll is stale: it was not marked as fresh since it was marked as stale. */
export function isStale(db: UserDb, pollId: string): boolean {
  return staleIds.get(db)?.has(pollId) ?? false;
}
