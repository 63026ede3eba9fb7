import type { ListMeta, UserDb } from '#sync/client/db.ts';
import { hiddenViewOf, readHidden } from '#sync/client/outbox/hidden.ts';
import { overlayPoll } from '#sync/client/outbox/overlay.ts';
import type { PollView } from '#sync/operations/operation.ts';

/**
 * The deck.
 * - `open`: the polls to vote on, in the order of the deck
 * - `hidden`: the polls of the deck that the user has reported, or whose maker they have blocked
 * - `requested`: the polls of `requestedIds`, even if they have left the deck
 * - `meta`: null while this device has never loaded the deck
 */
export type DeckView = { open: PollView[]; hidden: PollView[]; requested: PollView[]; meta: ListMeta | null };

/** Whether a poll belongs in the deck: it is open, made by another user, and neither voted on nor hidden. */
function isForDeck({ poll, vote, voteOp, hidden }: PollView): boolean {
  return poll.status === 'active' && !poll.isMine && vote === null && voteOp === null && !hidden;
}

/** Reads the stored deck with the overlay of pending ops. `requestedIds`: polls to return even if they are not in the deck. */
export async function readDeck(
  db: UserDb,
  serverNowMs: number,
  requestedIds: readonly string[],
): Promise<DeckView> {
  const [ids, ops, meta] = await Promise.all([
    db.deck.orderBy('position').primaryKeys(),
    db.ops.orderBy('seq').toArray(),
    db.listMeta.get('deck'),
  ]);
  const [polls, requestedPolls, hiddenKeys] = await Promise.all([
    db.polls.bulkGet(ids),
    db.polls.bulkGet([...requestedIds]),
    readHidden(db, ops),
  ]);
  const viewsOf = (cached: typeof polls): PollView[] =>
    cached
      .filter((poll) => poll !== undefined)
      .map((poll) => ({ ...overlayPoll(poll, ops, serverNowMs), hidden: hiddenViewOf(poll, hiddenKeys) }));
  const views = viewsOf(polls);
  return {
    open: views.filter(isForDeck),
    hidden: views.filter((view) => view.hidden),
    requested: viewsOf(requestedPolls),
    meta: meta ?? null,
  };
}
