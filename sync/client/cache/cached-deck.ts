import type { DeckPage } from '#shared/explore/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { confirmShown } from '#sync/client/outbox/hidden.ts';
import { listMetaOf, putPolls } from './cache.ts';

/**
 * Replaces the deck with its first page, read at `startedAt`. Polls that are not on the page leave the deck, except polls on
 * the screen (`shown`) if there are further pages. Polls that stay keep their order and come first.
 */
export async function putDeck(
  db: UserDb,
  page: DeckPage,
  startedAt: number,
  shown: readonly string[] = [],
): Promise<void> {
  await db.transaction('rw', db.polls, db.deck, db.listMeta, db.hidden, async () => {
    await putPolls(db, page.data);
    await confirmShown(db, page.data, startedAt);
    const listedIds = new Set(page.data.map(({ id }) => id));
    if (page.nextCursor !== null) for (const id of shown) listedIds.add(id);
    const previousIds = await db.deck.orderBy('position').primaryKeys();
    await putEntries(
      db,
      previousIds.filter((id) => listedIds.has(id)),
      page,
    );
    await db.listMeta.put(listMetaOf('deck', startedAt, page.nextCursor));
  });
}

/**
 * Appends the page requested with `cursor`. Polls that are closed or have the user's vote leave the deck. Returns false, and changes
 * nothing, if the deck has been replaced since the request.
 */
export async function appendDeck(db: UserDb, page: DeckPage, cursor: string): Promise<boolean> {
  return db.transaction('rw', db.polls, db.deck, db.listMeta, db.hidden, async () => {
    const meta = await db.listMeta.get('deck');
    if (meta?.nextCursor !== cursor) return false;
    await putPolls(db, page.data);
    // Page 1 was requested earlier than this page, so its time shows nothing again that was hidden since.
    await confirmShown(db, page.data, meta.fetchedAt);
    const previousIds = await db.deck.orderBy('position').primaryKeys();
    const polls = await db.polls.bulkGet(previousIds);
    const openIds = polls.flatMap((poll) =>
      poll?.status === 'active' && poll.votes.length === 0 ? poll.id : [],
    );
    await putEntries(db, openIds, page);
    await db.listMeta.put(listMetaOf('deck', meta.fetchedAt, page.nextCursor));
    return true;
  });
}

/** Sets the deck to the polls `firstIds`, followed by the other polls of the page. */
async function putEntries(db: UserDb, firstIds: readonly string[], page: DeckPage): Promise<void> {
  const ids = new Set([...firstIds, ...page.data.map(({ id }) => id)]);
  await db.deck.clear();
  await db.deck.bulkPut([...ids].map((pollId, position) => ({ pollId, position })));
}
