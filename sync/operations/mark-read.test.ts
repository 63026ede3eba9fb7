import { beforeEach, describe, expect, test } from 'vitest';
import { appendNotifications, putNotifications } from '#sync/client/cache/cached-notifications.ts';
import { countUnread, readNotifications } from '#sync/client/cache/notification-reads.ts';
import { pullMoreNotifications, pullNotifications } from '#sync/client/cache/pull.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { sampleNotification } from '#sync/testing/samples.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const markRead = (upTo: number) =>
  queueOp(device.db, device.userId, { type: 'markRead', payload: { upTo } }, device.clock.now());

const store = (ids: number[], { unread = ids.length, nextCursor = null as string | null, read = 0 } = {}) => {
  const readAt = (id: number) => (id <= read ? '2023-11-14T21:00:00.000Z' : null);
  const data = ids.map((id) => sampleNotification({ id, readAt: readAt(id) }));
  return putNotifications(device.db, { data, unread, nextCursor }, device.clock.now());
};

const queued = async () =>
  (await device.db.ops.toArray()).map(({ payload }) => ('upTo' in payload ? payload.upTo : null));

const unreadIds = async () =>
  (await readNotifications(device.db)).items.filter(({ readAt }) => readAt === null).map(({ id }) => id);

describe('an op that marks notifications as read', () => {
  test('replaces an older one, and is not added after a newer one', async () => {
    for (const upTo of [3, 7, 5]) await markRead(upTo);
    expect(await queued()).toEqual([7]);
    const [{ opId } = { opId: '' }] = await device.db.ops.toArray();
    await markRead(7);
    expect(await device.db.ops.toArray()).toMatchObject([{ opId }]);
  });

  test('is kept while it is being sent, and followed by a newer one', async () => {
    await markRead(3);
    await device.db.ops.toCollection().modify({ state: 'sending', firstLeasedAt: 1, leaseUntil: 9e15 });
    await markRead(3);
    expect(await queued()).toEqual([3]);
    await markRead(5);
    expect(await queued()).toEqual([3, 5]);
  });

  test('is replaced if it was refused', async () => {
    await markRead(9);
    await device.db.ops.toCollection().modify({ state: 'rejected' });
    await markRead(3);
    expect(await queued()).toEqual([3]);
  });

  test('is not added if a waiting one covers it, which then replaces a refused one', async () => {
    await markRead(3);
    await device.db.ops.toCollection().modify({ state: 'sending', firstLeasedAt: 1, leaseUntil: 9e15 });
    await markRead(9);
    await device.db.ops.where('state').equals('queued').modify({ state: 'needs_attention' });
    await markRead(2);
    expect(await queued()).toEqual([3]);
  });
});

test('notifications are shown as read before the op is sent, newer ones are not', async () => {
  await store([4, 3, 2], { unread: 40, nextCursor: 'c' });
  expect(await countUnread(device.db)).toBe(40);
  await markRead(3);
  expect(await unreadIds()).toEqual([4]);
  expect(await countUnread(device.db)).toBe(1);
});

test('notifications remain read after an older response', async () => {
  await store([3, 2]);
  await markRead(3);
  const { transport, sent } = scriptedTransport(json(204, null));
  await drainLane(device.context(transport), 'votes');
  expect(sent).toMatchObject([{ method: 'POST', path: '/api/notifications/read', body: '{"upTo":3}' }]);
  expect(await queued()).toEqual([]);
  expect(await unreadIds()).toEqual([]);
  await store([4, 3, 2], { unread: 3 });
  expect(await unreadIds()).toEqual([4]);
  expect(await countUnread(device.db)).toBe(1);
});

test('an op without a response waits; a refused one makes the notifications unread again', async () => {
  await store([3]);
  await markRead(3);
  await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
  expect([await queued(), await countUnread(device.db)]).toEqual([[3], 0]);
  await device.db.ops.toCollection().modify({ nextAttemptAt: 0 });
  const { transport } = scriptedTransport(errorResponse('invalid_input'));
  await drainLane(device.context(transport), 'votes');
  expect(await countUnread(device.db)).toBe(1);
});

describe('the stored list', () => {
  test('keeps older notifications if the newest page overlaps them, and drops missing ones', async () => {
    await store([5, 4, 3, 2], { nextCursor: 'c2' });
    await store([6, 4], { nextCursor: 'c4', unread: 5 });
    const { items, meta } = await readNotifications(device.db);
    expect(items.map(({ id }) => id)).toEqual([6, 4, 3, 2]);
    expect(meta).toMatchObject({ nextCursor: 'c2', hasMore: true, unread: 5 });
  });

  test('is replaced after a gap, and if a page contains all notifications', async () => {
    await store([2, 1]);
    await store([9, 8], { nextCursor: 'c8' });
    expect((await readNotifications(device.db)).items.map(({ id }) => id)).toEqual([9, 8]);
    await store([9]);
    expect((await readNotifications(device.db)).items.map(({ id }) => id)).toEqual([9]);
    await store([]);
    expect((await readNotifications(device.db)).items).toEqual([]);
  });

  test('continues with further pages, in which older notifications remain read', async () => {
    await store([9, 8, 7], { nextCursor: 'c7', unread: 2, read: 8 });
    const data = [6, 5].map((id) => sampleNotification({ id, readAt: null }));
    await appendNotifications(device.db, { data, unread: 2, nextCursor: 'c5' }, 'another');
    expect((await readNotifications(device.db)).items).toHaveLength(3);
    await appendNotifications(device.db, { data, unread: 2, nextCursor: 'c5' }, 'c7');
    expect(await unreadIds()).toEqual([9]);
    const { items, unread, meta } = await readNotifications(device.db);
    expect(items.map(({ id }) => id)).toEqual([9, 8, 7, 6, 5]);
    expect([unread, meta]).toMatchObject([1, { nextCursor: 'c5', hasMore: true, readUpTo: 8 }]);
    await appendNotifications(device.db, { data: [], unread: 2, nextCursor: null }, 'c5');
    expect((await readNotifications(device.db)).meta).toMatchObject({ nextCursor: null, hasMore: false });
  });

  test('is fetched page by page until there are no more', async () => {
    const page = (ids: number[], nextCursor: string | null) =>
      json(200, { data: ids.map((id) => sampleNotification({ id })), unread: 0, nextCursor });
    const { transport, sent } = scriptedTransport(page([2], 'c2'), page([1], null));
    const { db, userId } = device;
    const context = { transport, db, userId, nowMs: () => 1, onResponse: () => {} };
    expect(await pullMoreNotifications(context)).toBe('unchanged');
    expect(await pullNotifications(context)).toBe('updated');
    expect(await pullMoreNotifications(context)).toBe('updated');
    expect(await pullMoreNotifications(context)).toBe('unchanged');
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/notifications?limit=30',
      '/api/notifications?limit=30&cursor=c2',
    ]);
    expect((await readNotifications(db)).items.map(({ id }) => id)).toEqual([2, 1]);
  });

  test('is read up to where another device has read it', async () => {
    await store([4, 3, 2, 1], { nextCursor: 'c1', unread: 9 });
    await store([5, 4], { nextCursor: 'c4', unread: 1, read: 4 });
    expect(await unreadIds()).toEqual([5]);
    expect(await countUnread(device.db)).toBe(1);
  });
});
