import type { Poll } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { hiddenViewOf, readHidden } from '#sync/client/outbox/hidden.ts';
import { overlayPoll } from '#sync/client/outbox/overlay.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { mergePoll } from './cache.ts';

/** Returns search results updated from the cache, with the overlay of pending ops and without hidden polls. */
export async function readSearchResults(
  db: UserDb,
  results: readonly Poll[],
  serverNowMs: number,
): Promise<PollView[]> {
  const [cached, ops] = await Promise.all([
    db.polls.bulkGet(results.map(({ id }) => id)),
    db.ops.orderBy('seq').toArray(),
  ]);
  const hiddenKeys = await readHidden(db, ops);
  return results
    .map((poll, index) => mergePoll(cached[index], poll))
    .filter((poll) => hiddenViewOf(poll, hiddenKeys) === null)
    .map((poll) => overlayPoll(poll, ops, serverNowMs));
}
