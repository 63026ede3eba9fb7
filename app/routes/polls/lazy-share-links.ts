import { logWarning } from '#app/lib/log.ts';
import type { PendingVote } from '#app/lib/sharing/pending-vote.ts';
import type { UserDb } from '#sync/client/db.ts';

// Loaded on demand, because visitors do not need the code of the device's database.
const loadShareLinks = () => import('#app/features/polls/lib/share-links.ts');

/** The id of the poll if it is on this device; null also if that cannot be found out. Then the server is asked. */
export async function findCachedPollId(db: UserDb, slug: string): Promise<string | null> {
  try {
    return await (await loadShareLinks()).findCachedPollId(db, slug);
  } catch (error) {
    logWarning('The poll could not be searched for on this device:', error);
    return null;
  }
}

export async function castPendingVote(pending: PendingVote): Promise<void> {
  await (await loadShareLinks()).castPendingVote(pending);
}
