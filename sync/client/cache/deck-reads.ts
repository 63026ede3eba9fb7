import type { ListMeta, UserDb } from '#sync/client/db.ts';
import { hiddenViewOf, readHidden } from '#sync/client/outbox/hidden.ts';
import { overlayPoll } from '#sync/client/outbox/overlay.ts';
import type { PollView } from '#sync/operations/operation.ts';

/**
 * The deck.
 * - `open`: the polls to vote on, in their order
 * - `hidden`: those that the user has reported, or whose maker they have blocked
 * - `asked`: the polls that were asked for, whatever has become of them
 * - `meta`: null while this device has never loaded the deck
 */
export type DeckView = { open: PollView[]; hidden: PollView[]; asked: PollView[]; meta: ListMeta | null };

/** Whether a poll is one for the deck: open, by somebody else, and nothing has been done about it. */
function isForDeck({ poll, vote, voteOp, hidden }: PollView): boolean {
  return poll.status === 'active' && !poll.isMine && vote === null && voteOp === null && !hidden;
}

/** The stored deck with the overlay of pending ops, and those of the polls `asked` that are on this device. */
export async function readDeck(db: UserDb, serverNowMs: number, asked: readonly string[]): Promise<DeckView> {
  const [ids, ops, meta] = await Promise.all([
    db.deck.orderBy('position').primaryKeys(),
    db.ops.orderBy('seq').toArray(),
    db.listMeta.get('deck'),
  ]);
  const [polls, askedPolls, hidden] = await Promise.all([
    db.polls.bulkGet(ids),
    db.polls.bulkGet([...asked]),
    readHidden(db, ops),
  ]);
  const viewsOf = (found: typeof polls) =>
    found.flatMap((poll): PollView[] =>
      poll === undefined
        ? []
        : [{ ...overlayPoll(poll, ops, serverNowMs), hidden: hiddenViewOf(poll, hidden) }],
    );
  const views = viewsOf(polls);
  return {
    open: views.filter(isForDeck),
    hidden: views.filter((view) => view.hidden),
    asked: viewsOf(askedPolls),
    meta: meta ?? null,
  };
}
