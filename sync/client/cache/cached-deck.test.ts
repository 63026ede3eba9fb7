import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DeckPage } from '#shared/explore/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { openUserDb, type UserDb } from '#sync/client/db.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { json, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { dropPolls, putPolls } from './cache.ts';
import { appendDeck, putDeck } from './cached-deck.ts';
import { trimFeed } from './cached-lists.ts';
import { readDeck } from './deck-reads.ts';
import { pullDeck, pullMoreDeck } from './pull.ts';

const NOW_MS = Date.parse('2023-11-15T00:00:00Z');
let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

function page(ids: string[], nextCursor: string | null = null, changes: Partial<Poll> = {}): DeckPage {
  return { data: ids.map((id) => samplePoll({ id, ...changes })), nextCursor };
}

const openIds = async (nowMs = NOW_MS) => (await readDeck(db, nowMs, [])).open.map(({ poll }) => poll.id);
const change = (id: string, changes: Partial<Poll>) => putPolls(db, [samplePoll({ id, rev: 9, ...changes })]);

describe('the first page', () => {
  test('replaces the deck, but keeps the order of the cards that remain', async () => {
    await putDeck(db, page(['a', 'b', 'c']), 1);
    await putDeck(db, page(['d', 'c', 'a']), 2);
    expect(await openIds()).toEqual(['a', 'c', 'd']);
  });

  test('keeps the cards on the screen as long as further pages may contain them', async () => {
    await putDeck(db, page(['a', 'b', 'c'], 'c1'), 1);
    await putDeck(db, page(['d'], 'c2'), 2, ['b']);
    expect(await openIds()).toEqual(['b', 'd']);
    await putDeck(db, page(['d']), 3, ['b']);
    expect(await openIds()).toEqual(['d']);
  });
});

describe('the next page', () => {
  test('is appended without the polls that the deck already contains', async () => {
    await putDeck(db, page(['a', 'b'], 'c1'), 1);
    await appendDeck(db, page(['b', 'c'], 'c2'), 'c1');
    expect(await openIds()).toEqual(['a', 'b', 'c']);
    expect((await readDeck(db, NOW_MS, [])).meta).toMatchObject({
      fetchedAt: 1,
      nextCursor: 'c2',
      hasMore: true,
    });
  });

  test('is dropped if the deck was replaced during the request', async () => {
    await putDeck(db, page(['a'], 'c1'), 1);
    await putDeck(db, page(['b'], 'c2'), 2);
    await appendDeck(db, page(['c']), 'c1');
    expect(await openIds()).toEqual(['b']);
  });

  test('removes voted and closed polls from the deck', async () => {
    await putDeck(db, page(['a', 'b', 'c'], 'c1'), 1);
    await change('a', { votes: [{ option: 1 }] });
    await change('b', { status: 'completed' });
    await appendDeck(db, page(['d']), 'c1');
    expect(await db.deck.orderBy('position').primaryKeys()).toEqual(['c', 'd']);
  });
});

describe('a poll leaves the deck', () => {
  beforeEach(() => putDeck(db, page(['a', 'b']), 1));

  test.each<[string, Partial<Poll>]>([
    ['voted on elsewhere', { votes: [{ option: 2 }] }],
    ['closed', { status: 'completed' }],
    ['deactivated', { status: 'inactive', active: false }],
  ])('if it was %s', async (_case, changes) => {
    await change('a', changes);
    expect(await openIds()).toEqual(['b']);
  });

  test('if it was voted on here, before and after the vote is sent', async () => {
    await queueVote(db, { userId, pollId: 'a', option: 1 }, NOW_MS);
    expect(await openIds()).toEqual(['b']);
    await db.ops.clear();
    await change('a', { votes: [{ option: 1 }] });
    expect(await openIds()).toEqual(['b']);
  });

  test('if its end has passed', async () => {
    expect(await openIds(Date.parse('2023-11-18T00:00:00Z'))).toEqual([]);
  });

  test('if it was removed', async () => {
    await dropPolls(db, ['a']);
    expect(await openIds()).toEqual(['b']);
    expect(await db.deck.count()).toBe(1);
  });

  test('if it was reported or its maker was blocked', async () => {
    const report = { type: 'report', payload: { pollId: 'a', reason: 'spam' } } as const;
    await queueOp(db, userId, report, NOW_MS);
    expect(await openIds()).toEqual(['b']);
    const { hidden } = await readDeck(db, NOW_MS, []);
    expect(hidden.map((view) => [view.poll.id, view.hidden?.reason])).toEqual([['a', 'spam']]);
    await queueOp(db, userId, { type: 'block', payload: { username: 'mara.lind' } }, NOW_MS);
    expect(await openIds()).toEqual([]);
  });
});

test('requested polls are returned even if they have left the deck', async () => {
  await putDeck(db, page(['a', 'b']), 1);
  await change('a', { votes: [{ option: 1 }] });
  const { open, requested } = await readDeck(db, NOW_MS, ['a', 'unknown']);
  expect(open.map(({ poll }) => poll.id)).toEqual(['b']);
  expect(requested).toMatchObject([{ poll: { id: 'a' }, vote: 1 }]);
});

test('polls that only the deck contains are not deleted with old pages of the feed', async () => {
  await putDeck(db, page(['a']), 1);
  await db.feed.bulkPut([{ pollId: 'a', position: 0 }]);
  await db.listMeta.put({ list: 'feed', fetchedAt: 1, etag: null, nextCursor: null, hasMore: false });
  await trimFeed(db, 0);
  expect(await openIds()).toEqual(['a']);
});

test('the deck is pulled in pages of 48, each from the cursor of the previous page', async () => {
  const { transport, sent } = scriptedTransport(
    json(200, page([POLL_ID], 'c1')),
    json(200, page([OTHER_POLL_ID])),
  );
  const context = { ...fakeBrowser, transport, db, userId, clock: fakeClock(NOW_MS) };
  expect(await pullDeck(context, [])).toBe('updated');
  expect(await pullMoreDeck(context)).toBe('updated');
  expect(await pullMoreDeck(context)).toBe('unchanged');
  expect(sent.map(({ path }) => path)).toEqual(['/api/explore?limit=48', '/api/explore?limit=48&cursor=c1']);
  expect(await openIds()).toEqual([POLL_ID, OTHER_POLL_ID]);
});

test('a database of the previous version gets an empty deck and keeps its waiting ops', async () => {
  const [prefix, id] = ['before-the-deck', 7];
  const olderDb = new Dexie(`${prefix}-user-${id}`);
  olderDb.version(5).stores({
    ops: '++seq, &opId, state, entityId',
    opBlobs: '[opId+slot], opId',
    polls: 'id',
    feed: 'pollId, position',
    mine: 'pollId, position',
    trending: 'pollId, position',
    listMeta: 'list',
    user: 'id',
    acknowledged: 'opId, acknowledgedAt',
    account: 'id',
    hidden: 'key',
    activity: 'id',
    notifications: 'id',
  });
  await olderDb.table('ops').add({ opId: 'waits', state: 'queued', entityId: 'a' });
  olderDb.close();
  const db = openUserDb(prefix, id);
  await putDeck(db, page(['b']), 1);
  expect(db.verno).toBe(6);
  expect(await db.deck.toArray()).toEqual([{ pollId: 'b', position: 0 }]);
  expect(await db.ops.toArray()).toMatchObject([{ opId: 'waits' }]);
  db.close();
});
