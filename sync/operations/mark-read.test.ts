import { beforeEach, describe, expect, test } from 'vitest';
import { appendNotifications, putNotifications } from '#sync/client/cache/cached-notifications.ts';
import { countUnread, listNotifications } from '#sync/client/cache/notification-reads.ts';
import { pullMoreNotifications, pullNotifications } from '#sync/client/cache/pull.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { sampleNotification } from '#sync/testing/samples.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

/** The fields of an op that is being sent. The values of the times do not matter. */
const SENDING = { state: 'sending', firstLeasedAt: 1, leaseUntil: 2 } as const;

const markRead = (upTo: number) =>
  queueOp(device.db, device.userId, { type: 'markRead', payload: { upTo } }, device.clock.now());

const storePage = (
  ids: number[],
  { unread = ids.length, nextCursor = null as string | null, readUpTo = 0 } = {},
) => {
  const readAt = (id: number) => (id <= readUpTo ? '2023-11-14T21:00:00.000Z' : null);
  const data = ids.map((id) => sampleNotification({ id, readAt: readAt(id) }));
  return putNotifications(device.db, { data, unread, nextCursor }, device.clock.now());
};

/** For each queued op, the id of the newest notification that it marks as read. */
const queuedIds = async () =>
  (await device.db.ops.toArray()).map(({ payload }) => ('upTo' in payload ? payload.upTo : null));

const unreadIds = async () =>
  (await listNotifications(device.db)).items.filter(({ readAt }) => readAt === null).map(({ id }) => id);

describe('an op that marks notifications as read', () => {
  test('replaces an op for older notifications, but not an op for newer notifications', async () => {
    for (const upTo of [3, 7, 5]) await markRead(upTo);
    expect(await queuedIds()).toEqual([7]);
    const ops = await device.db.ops.toArray();
    await markRead(7);
    expect(await device.db.ops.toArray()).toEqual(ops);
  });

  test('is not replaced while it is being sent', async () => {
    await markRead(3);
    await device.db.ops.toCollection().modify(SENDING);
    await markRead(3);
    expect(await queuedIds()).toEqual([3]);
    await markRead(5);
    expect(await queuedIds()).toEqual([3, 5]);
  });

  test('replaces a refused op', async () => {
    await markRead(9);
    await device.db.ops.toCollection().modify({ state: 'rejected' });
    await markRead(3);
    expect(await queuedIds()).toEqual([3]);
  });

  test('only removes a refused op if an op that is being sent marks the same notifications', async () => {
    await markRead(3);
    await device.db.ops.toCollection().modify(SENDING);
    await markRead(9);
    await device.db.ops.where('state').equals('queued').modify({ state: 'needs_attention' });
    await markRead(2);
    expect(await queuedIds()).toEqual([3]);
  });
});

test('notifications are shown as read before the op is sent', async () => {
  await storePage([4, 3, 2], { unread: 40, nextCursor: 'c' });
  expect(await countUnread(device.db)).toBe(40);
  await markRead(3);
  expect(await unreadIds()).toEqual([4]);
  expect(await countUnread(device.db)).toBe(1);
});

test('notifications remain read after a response from before they were read', async () => {
  await storePage([3, 2]);
  await markRead(3);
  const { transport, sent } = scriptedTransport(json(204, null));
  await drainLane(device.context(transport), 'votes');
  expect(sent).toMatchObject([{ method: 'POST', path: '/api/notifications/read', body: '{"upTo":3}' }]);
  expect(await queuedIds()).toEqual([]);
  expect(await unreadIds()).toEqual([]);
  await storePage([4, 3, 2], { unread: 3 });
  expect(await unreadIds()).toEqual([4]);
  expect(await countUnread(device.db)).toBe(1);
});

test('notifications are unread again if the op is refused', async () => {
  await storePage([3]);
  await markRead(3);
  await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
  expect([await queuedIds(), await countUnread(device.db)]).toEqual([[3], 0]);
  await device.db.ops.toCollection().modify({ nextAttemptAt: 0 });
  const { transport } = scriptedTransport(errorResponse('invalid_input'));
  await drainLane(device.context(transport), 'votes');
  expect(await countUnread(device.db)).toBe(1);
});

describe('the stored list of notifications', () => {
  test('keeps older notifications if the newest page overlaps them', async () => {
    await storePage([5, 4, 3, 2], { nextCursor: 'c2' });
    await storePage([6, 4], { nextCursor: 'c4', unread: 5 });
    const { items, meta } = await listNotifications(device.db);
    expect(items.map(({ id }) => id)).toEqual([6, 4, 3, 2]);
    expect(meta).toMatchObject({ nextCursor: 'c2', hasMore: true, unread: 5 });
  });

  test('is replaced by a page that does not overlap it or contains all notifications', async () => {
    await storePage([2, 1]);
    await storePage([9, 8], { nextCursor: 'c8' });
    expect((await listNotifications(device.db)).items.map(({ id }) => id)).toEqual([9, 8]);
    await storePage([9]);
    expect((await listNotifications(device.db)).items.map(({ id }) => id)).toEqual([9]);
    await storePage([]);
    expect((await listNotifications(device.db)).items).toEqual([]);
  });

  test('is continued by further pages, whose notifications are read if newer notifications are', async () => {
    await storePage([9, 8, 7], { nextCursor: 'c7', unread: 2, readUpTo: 8 });
    const data = [6, 5].map((id) => sampleNotification({ id, readAt: null }));
    await appendNotifications(device.db, { data, unread: 2, nextCursor: 'c5' }, 'another');
    expect((await listNotifications(device.db)).items).toHaveLength(3);
    await appendNotifications(device.db, { data, unread: 2, nextCursor: 'c5' }, 'c7');
    expect(await unreadIds()).toEqual([9]);
    const { items, unread, meta } = await listNotifications(device.db);
    expect(items.map(({ id }) => id)).toEqual([9, 8, 7, 6, 5]);
    expect([unread, meta]).toMatchObject([1, { nextCursor: 'c5', hasMore: true, readUpTo: 8 }]);
    await appendNotifications(device.db, { data: [], unread: 2, nextCursor: null }, 'c5');
    expect((await listNotifications(device.db)).meta).toMatchObject({ nextCursor: null, hasMore: false });
  });

  test('is fetched page by page', async () => {
    const page = (ids: number[], nextCursor: string | null) =>
      json(200, { data: ids.map((id) => sampleNotification({ id })), unread: 0, nextCursor });
    const { transport, sent } = scriptedTransport(page([2], 'c2'), page([1], null));
    const { db, userId } = device;
    const context = { ...fakeBrowser, transport, db, userId, clock: fakeClock(1) };
    expect(await pullMoreNotifications(context)).toBe('unchanged');
    expect(await pullNotifications(context)).toBe('updated');
    expect(await pullMoreNotifications(context)).toBe('updated');
    expect(await pullMoreNotifications(context)).toBe('unchanged');
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/notifications?limit=30',
      '/api/notifications?limit=30&cursor=c2',
    ]);
    expect((await listNotifications(db)).items.map(({ id }) => id)).toEqual([2, 1]);
  });

  test('shows as read what another device has marked as read', async () => {
    await storePage([4, 3, 2, 1], { nextCursor: 'c1', unread: 9 });
    await storePage([5, 4], { nextCursor: 'c4', unread: 1, readUpTo: 4 });
    expect(await unreadIds()).toEqual([5]);
    expect(await countUnread(device.db)).toBe(1);
  });
});
