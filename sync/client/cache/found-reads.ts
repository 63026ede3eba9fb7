import type { Poll } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { hiddenViewOf, readHidden } from '#sync/client/outbox/hidden.ts';
import { overlayPoll } from '#sync/client/outbox/overlay.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { mergePoll } from './cache.ts';

/** What a search has found, as the cache has it by now, with the overlay of pending ops and without what the user hides. */
export async function readFound(
  db: UserDb,
  found: readonly Poll[],
  serverNowMs: number,
): Promise<PollView[]> {
  const [cached, ops] = await Promise.all([
    db.polls.bulkGet(found.map(({ id }) => id)),
    db.ops.orderBy('seq').toArray(),
  ]);
  const hidden = await readHidden(db, ops);
  return found
    .map((poll, index) => mergePoll(cached[index], poll))
    .filter((poll) => hiddenViewOf(poll, hidden) === null)
    .map((poll) => overlayPoll(poll, ops, serverNowMs));
}
