import { beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { requireUserRow } from '#api/http/session/session-user.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { openPoll, postVote, seedPolls } from '#api/testing/poll-factory.ts';
import { decide, postReport, putBlock } from '#api/testing/reports.ts';
import { planOf } from '#api/testing/servers/database.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { DECK_PAGE_SIZE } from '#shared/explore/constants.ts';
import { type DeckPage, deckPageSchema } from '#shared/explore/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import { deckOrder, encodeCursor, utcDay } from './deck-order.ts';
import { listDeck } from './queries.ts';
import { readDeck } from './read-deck.ts';

const app = await createTestApp();
const { db, deps } = app;
const maker = await app.signUp({ username: 'maker' });
const viewer = await app.signUp({ username: 'viewer' });

beforeEach(async () => {
  await db.sql`delete from polls`;
  await db.sql`update poll_totals set active = 0, total = 0`;
});

async function requestDeck(query = '', client: TestUser = viewer): Promise<DeckPage> {
  const response = await client.get(`/api/explore${query}`);
  expect(response.status).toBe(200);
  return deckPageSchema.parse(await response.json());
}

const idsOf = ({ data }: DeckPage) => data.map(({ id }) => id);

/** Reads all pages, and runs `betweenPages` before each page but the first. Returns the ids of the polls. */
async function readAllPages(
  limit: number,
  betweenPages: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seenIds: string[] = [];
  let page = await requestDeck(`?limit=${limit}`);
  for (;;) {
    seenIds.push(...idsOf(page));
    if (page.nextCursor === null) return seenIds;
    await betweenPages();
    page = await requestDeck(`?limit=${limit}&cursor=${page.nextCursor}`);
  }
}

/** The ids of the polls that a user would get at this time. */
async function orderOf({ user }: TestUser, nowMs: number, cursor?: string): Promise<string[]> {
  return idsOf(await readDeck(deps, await requireUserRow(db, user.id), { limit: 48, cursor }, nowMs));
}

describe('the deck', () => {
  test('is empty before the first poll', async () => {
    expect(await requestDeck()).toEqual({ data: [], nextCursor: null });
  });

  test('has each open poll once, twelve per page by default', async () => {
    const polls = await seedPolls(app, maker.user.id, 50);
    expect((await requestDeck()).data).toHaveLength(DECK_PAGE_SIZE);
    expect((await requestDeck('?limit=1000')).data).toHaveLength(48);
    for (const limit of [1, 7, 25, 48])
      expect((await readAllPages(limit)).toSorted()).toEqual(polls.toSorted());
  });

  test('has no next page when the last poll is on this page', async () => {
    await seedPolls(app, maker.user.id, 12);
    expect(await requestDeck()).toMatchObject({ nextCursor: null });
    expect((await requestDeck('?limit=11')).nextCursor).not.toBeNull();
  });

  test('has the same order for a user all day, and another order for other users and days', async () => {
    await seedPolls(app, maker.user.id, 30);
    const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const order = await orderOf(viewer, midnightMs);
    expect(await orderOf(viewer, midnightMs + DAY_MS - 1)).toEqual(order);
    const otherOrders = [
      await orderOf(viewer, midnightMs + DAY_MS),
      await orderOf(viewer, midnightMs - 1),
      await orderOf(await app.signUp(), midnightMs),
    ];
    for (const other of otherOrders) expect(other.toSorted()).toEqual(order.toSorted());
    expect(new Set([order, ...otherOrders].map((ids) => ids.join())).size).toBe(4);
  });

  test('keeps the order of its first page when the day changes', async () => {
    await seedPolls(app, maker.user.id, 30);
    const nowMs = Date.now();
    const order = await orderOf(viewer, nowMs);
    const { nextCursor } = await requestDeck('?limit=10');
    expect(await orderOf(viewer, nowMs + DAY_MS, nextCursor ?? '')).toEqual(order.slice(10));
  });

  test('repeats and reorders no polls when users vote or create polls between pages', async () => {
    const polls = await seedPolls(app, maker.user.id, 40);
    const order = await orderOf(viewer, Date.now());
    const voter = await app.signUp();
    let pages = 0;
    const seenIds = await readAllPages(5, async () => {
      pages += 1;
      await seedPolls(app, maker.user.id, 3);
      // A poll that was shown already, and one at the end of the deck that was not.
      for (const id of [order[pages], order.at(-pages)]) {
        await postVote(viewer, id ?? '', 1);
        await postVote(voter, id ?? '', 2);
      }
    });
    expect(new Set(seenIds).size).toBe(seenIds.length);
    const seenOriginalIds = seenIds.filter((id) => polls.includes(id));
    expect(seenOriginalIds).toEqual(order.slice(0, seenOriginalIds.length));
    // Only polls at the end were not shown, since the viewer has voted on them before.
    expect(order.filter((id) => !seenIds.includes(id)).length).toBeLessThanOrEqual(pages);
  });

  test('contains the remaining polls for a user who has voted on almost all polls', async () => {
    const polls = await seedPolls(app, maker.user.id, 600);
    const remaining = polls.filter((_, index) => index % 40 === 0);
    await db.sql`insert into votes (poll_id, user_id, option) select id, ${viewer.user.id}, 1 from polls`;
    await db.sql`delete from votes where poll_id = any(${`{${remaining.join()}}`}::uuid[])`;
    expect((await readAllPages(4)).toSorted()).toEqual(remaining.toSorted());
  });

  test('excludes polls that the user cannot vote on or has voted on', async () => {
    const admin = await signUpAdmin(app);
    const [expired = '', completed = '', inactive = '', voted = '', open = ''] = await seedPolls(
      app,
      maker.user.id,
      5,
    );
    await seedPolls(app, viewer.user.id, 2);
    await db.sql`update polls set closes_at = now() - interval '1 second' where id = ${expired}`;
    await db.sql`update polls set votes1 = 60, votes2 = 40 where id = ${completed}`;
    await admin.post(`/api/admin/polls/${inactive}/deactivate`);
    await postVote(viewer, voted, 1);
    expect(idsOf(await requestDeck())).toEqual([open]);
  });

  test('excludes reported, hidden and removed polls and those of blocked users', async () => {
    const [admin, spammer, reader] = [await signUpAdmin(app), await app.signUp(), await app.signUp()];
    const [reported = '', hidden = '', removed = '', open = ''] = await seedPolls(app, maker.user.id, 4);
    const [blocked = ''] = await seedPolls(app, spammer.user.id, 1);
    await postReport(reader, reported);
    await putBlock(reader, spammer.user.username);
    await db.sql`update polls set hidden_at = now(), active_before = active, active = false where id = ${hidden}`;
    await postReport(await app.signUp(), removed);
    await decide(admin, removed, 'remove');
    expect(idsOf(await requestDeck('', reader))).toEqual([open]);
    expect(idsOf(await requestDeck()).toSorted()).toEqual([reported, blocked, open].toSorted());
    await reader.delete(`/api/questions/${reported}/report`);
    await reader.delete(`/api/blocks/${spammer.user.username}`);
    expect(idsOf(await requestDeck('', reader)).toSorted()).toEqual([reported, blocked, open].toSorted());
  });

  test('shows a poll as the feed does, with its share link', async () => {
    await openPoll(app, maker, { question: 'Tea?', option1Caption: 'Green', option2Caption: 'Black' });
    const [poll] = (await requestDeck()).data;
    expect(poll).toEqual((await (await viewer.get('/api/questions')).json()).data[0]);
    expect(poll).toMatchObject({ status: 'active', isMine: false, votes: [], results: null });
    expect(poll?.shareUrl).toContain('/s/');
  });

  test.each([
    ['other text', 'x'],
    ['an empty text', ''],
    ['a part out of range', encodeCursor({ day: utcDay(Date.now()), partIndex: 256, hash: 1n })],
    ['a hash that is too long', encodeCursor({ day: 1, partIndex: 1, hash: 2n ** 63n })],
    ['a cursor with additional text', Buffer.from("1|1|1' or true --").toString('base64url')],
    ['a negative part', Buffer.from('1|-1|1').toString('base64url')],
  ])('rejects %s as a cursor', async (_, cursor) => {
    const response = await viewer.get(`/api/explore?cursor=${cursor}`);
    expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_input']);
  });

  test('accepts any day and position in a cursor', async () => {
    const polls = await seedPolls(app, maker.user.id, 3);
    const firstCursor = encodeCursor({ day: 0, partIndex: 0, hash: -(2n ** 63n) });
    const lastCursor = encodeCursor({ day: 999_999, partIndex: 255, hash: 2n ** 63n - 1n });
    expect(idsOf(await requestDeck(`?cursor=${firstCursor}`)).toSorted()).toEqual(polls.toSorted());
    expect((await requestDeck(`?cursor=${lastCursor}`)).data).toEqual([]);
  });

  // Seeding 6,000 polls takes long on a machine that is busy with other tests.
  test('is read from indexes, even in parts where all polls are closed', { timeout: 60_000 }, async () => {
    const viewerRow = await requireUserRow(db, viewer.user.id);
    const plan = await inTransaction(db, async (tx) => {
      // An autovacuum of the table may hold its lock for longer than a request may wait.
      await tx.sql`set local lock_timeout = 0`;
      await seedPolls({ db: tx }, maker.user.id, 6_000);
      await tx.sql`update polls set closes_at = now() - interval '1 day' where random() < 0.95`;
      await tx.sql`analyze polls`;
      const place = { ...deckOrder(viewer.user.id, 1), partIndex: 0, hash: null };
      return planOf(tx, listDeck(tx, viewerRow, place, 13));
    });
    expect(plan).toContain('polls_deck');
    expect(plan).not.toContain('Seq Scan on polls');
  });
});
