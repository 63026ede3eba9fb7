import 'fake-indexeddb/auto';
import { liveQuery } from 'dexie';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CachedPoll, openUserDb, type UserDb } from '#sync/client/db.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { getPolls } from './get-polls.ts';

let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function storePolls(ids: readonly string[]): Promise<void> {
  await db.polls.bulkPut(ids.map((id) => samplePoll({ id })));
}

async function foundIds(ids: readonly string[]): Promise<(string | undefined)[]> {
  return (await getPolls(db, ids)).map((poll) => poll?.id);
}

test('returns polls in the order of their ids, and undefined for polls that are not cached', async () => {
  await storePolls(['a', 'b', 'c', 'd']);
  expect(await foundIds(['d', 'x', 'b', 'a', 'b'])).toEqual(['d', undefined, 'b', 'a', 'b']);
  expect(await foundIds([])).toEqual([]);
});

test('reads polls whose ids are close to each other in one request', async () => {
  await storePolls(['a', 'b', 'c', 'd']);
  const get = vi.spyOn(IDBObjectStore.prototype, 'get');
  const getAll = vi.spyOn(IDBObjectStore.prototype, 'getAll');
  expect(await foundIds(['d', 'a', 'c'])).toEqual(['d', 'a', 'c']);
  expect([get.mock.calls.length, getAll.mock.calls.length]).toEqual([0, 1]);
});

test('finds polls even if many others are between them', async () => {
  await storePolls(Array.from({ length: 100 }, (_, index) => `poll-${String(index).padStart(2, '0')}`));
  expect(await foundIds(['poll-99', 'poll-00', 'poll-50'])).toEqual(['poll-99', 'poll-00', 'poll-50']);
});

test('a live query runs again when this tab or another changes or stores one of the polls, even beyond the first rows', async () => {
  await storePolls(Array.from({ length: 100 }, (_, index) => `poll-${String(index).padStart(2, '0')}`));
  let rows: (CachedPoll | undefined)[] = [];
  const ids = ['poll-00', 'poll-50', 'poll-50b', 'poll-99'];
  const subscription = liveQuery(() => getPolls(db, ids)).subscribe((polls) => {
    rows = polls;
  });
  const otherTab = openUserDb('test', userId);
  for (const [index, id] of ids.entries()) {
    const tab = index % 2 === 0 ? db : otherTab;
    await tab.polls.put(samplePoll({ id, rev: 1_000 }));
    await vi.waitFor(() => expect(rows[index]).toMatchObject({ id, rev: 1_000 }));
  }
  await otherTab.polls.clear();
  await vi.waitFor(() => expect(rows).toEqual(ids.map(() => undefined)));
  subscription.unsubscribe();
});
