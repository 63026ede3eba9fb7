import { beforeEach, expect, test } from 'vitest';
import type { UserDb } from '#sync/client/db.ts';
import { observable } from '#sync/client/observable.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { json, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleActivity, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { appendActivity, putActivity } from './cached-activity.ts';
import { pullActivity, pullMoreActivity } from './pull.ts';
import { createPuller } from './puller.ts';
import { readActivity } from './reads.ts';

let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

const page = (ids: number[], nextCursor: string | null = null) => ({
  data: ids.map((id) => sampleActivity({ id })),
  nextCursor,
});
const storedIds = async () => (await readActivity(db)).entries.map(({ id }) => id);

test('newer entries are added before the stored entries, and the cursor does not change', async () => {
  await putActivity(db, page([5, 4], 'c4'), 1);
  await appendActivity(db, page([3, 2], 'c2'), 'c4');
  await putActivity(db, page([6, 5], 'c5'), 2);
  expect(await storedIds()).toEqual([6, 5, 4, 3, 2]);
  expect(await db.listMeta.get('activity')).toMatchObject({ nextCursor: 'c2', hasMore: true });
});

test('entries that do not overlap the stored entries replace them', async () => {
  await putActivity(db, page([2, 1]), 1);
  await putActivity(db, page([9, 8], 'c8'), 2);
  expect(await storedIds()).toEqual([9, 8]);
  expect(await db.listMeta.get('activity')).toMatchObject({ nextCursor: 'c8' });
});

test('the first page that a tab loads replaces the list, whose polls the user may no longer see', async () => {
  const { transport } = scriptedTransport(json(200, page([6, 5], 'c5')));
  const session = observable<Session>({
    status: 'user',
    user: sampleUser({ id: userId }),
    db,
    needsLogin: false,
  });
  const newTab = () =>
    createPuller({ ...fakeBrowser, transport, clock: fakeClock(1), session, onLoggedOut: async () => {} });
  await putActivity(db, page([5, 4], 'c4'), 1);
  const tab = newTab();
  await tab.pullActivity();
  expect(await storedIds()).toEqual([6, 5]);
  await appendActivity(db, page([4], 'c4'), 'c5');
  await tab.pullActivity();
  expect(await storedIds()).toEqual([6, 5, 4]);
});

test('an entry does not contain a poll that is hidden, even if the server does not know yet', async () => {
  const poll = samplePoll();
  await putActivity(db, { data: [sampleActivity({ poll })], nextCursor: null }, 1);
  const isPollShown = async () => (await readActivity(db)).entries[0]?.poll !== null;
  expect(await isPollShown()).toBe(true);
  await queueOp(db, userId, { type: 'report', payload: { pollId: POLL_ID, reason: 'other' } }, 2);
  expect(await isPollShown()).toBe(false);
  await db.ops.clear();
  await db.polls.put(poll);
  await queueOp(db, userId, { type: 'block', payload: { username: poll.user?.username ?? '' } }, 2);
  expect(await isPollShown()).toBe(false);
});

test('a page of a list that was replaced during the request is dropped', async () => {
  await putActivity(db, page([5], 'c5'), 1);
  await putActivity(db, page([9], 'c9'), 2);
  await appendActivity(db, page([4], null), 'c5');
  expect(await storedIds()).toEqual([9]);
});

test('only the newest page is kept if too many entries are stored', async () => {
  const ids = Array.from({ length: 301 }, (_, index) => 301 - index);
  await putActivity(db, page(ids, 'c1'), 1);
  await putActivity(db, page([302, 301], 'c301'), 2);
  expect(await storedIds()).toEqual([302, 301]);
});

test('further pages are requested until there are no more', async () => {
  const { transport, sent } = scriptedTransport(json(200, page([2], 'c2')), json(200, page([1])));
  const context = { ...fakeBrowser, transport, db, userId, clock: fakeClock(1) };
  expect(await pullActivity(context)).toBe('updated');
  expect(await pullMoreActivity(context)).toBe('updated');
  expect(await pullMoreActivity(context)).toBe('unchanged');
  expect(sent.map(({ path }) => path)).toEqual([
    '/api/activity?limit=30',
    '/api/activity?limit=30&cursor=c2',
  ]);
  expect(await storedIds()).toEqual([2, 1]);
});

test('an entry from a newer server with an unknown reason is stored with the reason `unknown`', async () => {
  const { transport } = scriptedTransport(
    json(200, { data: [{ ...sampleActivity(), reason: 'prize' }], nextCursor: null }),
  );
  await pullActivity({ ...fakeBrowser, transport, db, userId, clock: fakeClock(1) });
  expect((await readActivity(db)).entries).toMatchObject([{ reason: 'unknown' }]);
});

test('pending ops that earn or cost points are listed until they are refused', async () => {
  await db.polls.put(samplePoll());
  await queueOp(db, userId, { type: 'vote', payload: { pollId: POLL_ID, option: 1 } }, 1);
  await queueOp(db, userId, { type: 'block', payload: { username: 'loud' } }, 2);
  const { pending, points } = await readActivity(db);
  expect(pending).toMatchObject([{ delta: 1, poll: { id: POLL_ID }, op: { type: 'vote' } }]);
  expect(points).toMatchObject({ confirmed: 10, pendingEarned: 1 });
  await db.ops.toCollection().modify({ state: 'rejected' });
  expect((await readActivity(db)).pending).toEqual([]);
});
