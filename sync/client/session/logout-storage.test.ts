import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { TransportRequest } from '#sync/client/capabilities.ts';
import { openUserDb } from '#sync/client/db.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import { json, noResponse } from '#sync/testing/fake-transport.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import {
  POLL_ID,
  sampleActivity,
  sampleDraft,
  sampleNotification,
  samplePoll,
  sampleUser,
} from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { finishLogout, logOut } from './log-out.ts';
import { startSession } from './session.ts';

const user = sampleUser({ id: 7_000 });
let tab: SessionHarness;
let sent: TransportRequest[];

beforeEach(() => {
  tab = sessionHarness();
  sent = tab.answer(json(204, null));
});

describe('a logout', () => {
  /** The database of a logged-in user, with rows in all tables. */
  async function fullDatabase() {
    await startSession(tab.context, user);
    const { db } = tab.current();
    await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
    await queuePoll(db, user.id, sampleDraft(), 0);
    await db.polls.put(samplePoll());
    await db.activity.put(sampleActivity());
    await db.notifications.put(sampleNotification());
    await db.hidden.put({ key: `poll ${POLL_ID}`, isHidden: true, ackedAt: 1 });
    for (const list of [db.feed, db.mine, db.trending, db.deck])
      await list.put({ pollId: POLL_ID, position: 0 });
    await db.listMeta.put({ list: 'feed', fetchedAt: 1, etag: null, nextCursor: null, hasMore: false });
    const [op] = await db.ops.toArray();
    if (op === undefined) throw new Error('no op');
    await db.acknowledged.put({ opId: 'a', acknowledgedAt: 1, op, blobs: [] });
    for (const table of db.tables) expect([table.name, await table.count()]).not.toEqual([table.name, 0]);
    sent = tab.answer(json(204, null));
    return db;
  }

  async function rowCounts() {
    const db = openUserDb('test', user.id);
    await db.open();
    const counts = await Promise.all(db.tables.map(async (table) => [table.name, await table.count()]));
    const ops = await db.ops.toArray();
    db.close();
    return { counts: Object.fromEntries(counts), ops };
  }

  /** The numbers of rows in the tables that each logout empties. */
  const emptied = {
    feed: 0,
    mine: 0,
    trending: 0,
    deck: 0,
    activity: 0,
    notifications: 0,
    listMeta: 0,
    acknowledged: 0,
    polls: 0,
    user: 0,
    hidden: 0,
  };

  test('that keeps waiting ops empties all other tables', async () => {
    await fullDatabase();
    await logOut(tab.context, 'keep');
    expect((await rowCounts()).counts).toEqual({ ...emptied, account: 1, ops: 2, opBlobs: 2 });
  });

  test('revokes the leases of waiting ops', async () => {
    const db = await fullDatabase();
    await db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'tab-1:a' });
    await logOut(tab.context, 'keep');
    const { ops } = await rowCounts();
    expect(ops.map(({ state }) => state)).toEqual(['queued', 'queued']);
  });

  test('that discards waiting ops keeps those that need a decision', async () => {
    const db = await fullDatabase();
    await db.ops.where('entityId').equals(POLL_ID).modify({ state: 'needs_attention' });
    await logOut(tab.context, 'discard');
    const { counts, ops } = await rowCounts();
    expect(counts).toEqual({ ...emptied, account: 1, ops: 1, opBlobs: 0 });
    expect(ops).toMatchObject([{ entityId: POLL_ID, state: 'needs_attention' }]);
  });

  test.each([
    ['all ops', 'keep', 2],
    ['ops that need a decision', 'discard', 1],
  ] as const)(
    'that keeps %s stores the number of kept ops in the device note',
    async (_case, waiting, count) => {
      const db = await fullDatabase();
      await db.ops.where('entityId').equals(POLL_ID).modify({ state: 'needs_attention' });
      const noteWaiting = vi.fn();
      tab.context.deviceNote = { ...tab.context.deviceNote, noteWaiting };
      await logOut(tab.context, waiting);
      expect(noteWaiting).toHaveBeenCalledExactlyOnceWith(user.id, count);
    },
  );

  test('that discards waiting ops keeps those that the user has not seen', async () => {
    const db = await fullDatabase();
    const shownOps = (await db.ops.toArray()).filter(({ type }) => type === 'vote');
    await logOut(
      tab.context,
      'discard',
      shownOps.map(({ opId }) => opId),
    );
    expect((await rowCounts()).ops).toMatchObject([{ type: 'createPoll' }]);
  });

  test('closes the database and notifies the other tabs', async () => {
    const db = await fullDatabase();
    const countBefore = tab.announcementCount;
    await logOut(tab.context, 'keep');
    expect(db.isOpen()).toBe(false);
    expect(tab.announcementCount).toBe(countBefore + 1);
  });

  test('is sent to the server even if the tab shows a visitor', async () => {
    tab.context.session.set({ status: 'visitor' });
    sent = tab.answer(json(204, null));
    await logOut(tab.context, 'keep');
    expect(sent.map(({ path }) => path)).toEqual(['/api/logout']);
  });

  test('reaches the server even if the database cannot be emptied', async () => {
    const db = await fullDatabase();
    vi.spyOn(db, 'transaction').mockRejectedValue(new Error('broken'));
    await expect(logOut(tab.context, 'keep')).rejects.toThrow('broken');
    expect(sent).toHaveLength(1);
    expect(db.isOpen()).toBe(false);
  });
});

describe('a pending logout', () => {
  beforeEach(() => tab.context.device.entries.put({ key: 'signedOut', value: 1 }));

  test('is completed by a 204', async () => {
    sent = tab.answer(json(204, null));
    expect(await finishLogout(tab.context)).toBe(true);
    expect(await tab.entry('signedOut')).toBeUndefined();
    expect(sent).toMatchObject([
      {
        method: 'POST',
        path: '/api/logout',
        headers: { Accept: 'application/json' },
        body: null,
        timeoutMs: 10_000,
      },
    ]);
    expect(await finishLogout(tab.context)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test('is sent once although two calls finish it, and a later logout is sent, too', async () => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    sent = tab.answer(async (request) => {
      await isReleased;
      return json(204, null)(request);
    });
    const calls = [finishLogout(tab.context), finishLogout(tab.context)];
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    await tab.context.device.entries.put({ key: 'signedOut', value: 2 });
    release();
    expect(await Promise.all(calls)).toEqual([true, true]);
    expect(sent).toHaveLength(2);
    expect(await tab.entry('signedOut')).toBeUndefined();
  });

  test.each([
    ['the 200 of a login page', json(200, null)],
    ['a 503 response', json(503, null)],
    ['no response', noResponse],
  ])('is not completed by %s', async (_case, reply) => {
    sent = tab.answer(reply);
    expect(await finishLogout(tab.context)).toBe(false);
    expect(await tab.entry('signedOut')).toBe(1);
  });
});
