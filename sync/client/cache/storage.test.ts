import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { UserDb } from '#sync/client/db.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { putFeed } from './cached-lists.ts';
import { hasSpaceFor, isQuotaError, StorageFullError, withFreedSpace } from './storage.ts';

const MB = 1024 * 1024;
let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

const quotaError = () => Object.assign(new Error('full'), { name: 'QuotaExceededError' });

function pageOf(count: number) {
  const data = Array.from({ length: count }, (_, index) =>
    samplePoll({ id: `019352aa-0000-7000-8000-${String(index).padStart(12, '0')}` }),
  );
  return { data, pagination: { limit: 24, offset: 0, hasMore: true, nextCursor: 'c' } };
}

describe('a device that is nearly full', () => {
  test('accepts no images that would use up the reserved space', async () => {
    // 10 MB are reserved.
    const storage = { ...fakeBrowser.storage, freeBytes: async () => 12 * MB };
    expect(await hasSpaceFor(storage, 2 * MB)).toBe(true);
    expect(await hasSpaceFor(storage, 2 * MB + 1)).toBe(false);
  });

  test('accepts images of any size if the browser does not say how much space is free', async () => {
    const storage = { ...fakeBrowser.storage, freeBytes: async () => null };
    expect(await hasSpaceFor(storage, 999 * MB)).toBe(true);
  });

  test('deletes acknowledged ops, then cached images, then old pages of the feed, but no waiting ops', async () => {
    await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, 0);
    const [op] = await db.ops.toArray();
    if (op === undefined) throw new Error('no op');
    await db.acknowledged.put({
      opId: 'former',
      acknowledgedAt: 0,
      op: { ...op, opId: 'former' },
      blobs: [],
    });
    await putFeed(db, pageOf(60), { etag: null, startedAt: 0 });
    const dropImages = vi.fn(async () => {});
    /** Resolves with the numbers of acknowledged ops, of deletions of the images, and of polls in the feed. */
    const storeAfterFailures = async (failures: number) => {
      const store = vi.fn().mockResolvedValue('ok');
      for (let attempt = 1; attempt <= failures; attempt += 1) store.mockRejectedValueOnce(quotaError());
      expect(await withFreedSpace({ dropImages }, db, store)).toBe('ok');
      return [await db.acknowledged.count(), dropImages.mock.calls.length, await db.feed.count()];
    };
    expect(await storeAfterFailures(1)).toEqual([0, 0, 60]);
    expect(await storeAfterFailures(2)).toEqual([0, 1, 60]);
    expect(await storeAfterFailures(3)).toEqual([0, 2, 24]);
    expect(await db.polls.count()).toBe(24);
    expect(await db.listMeta.get('feed')).toMatchObject({ hasMore: true, nextCursor: null });
    expect(await db.ops.count()).toBe(1);
  });

  test('deletes cached images if the browser’s estimate shows too little space', async () => {
    const dropImages = vi.fn(async () => {});
    const error = new StorageFullError();
    const store = vi.fn().mockRejectedValueOnce(error).mockRejectedValueOnce(error).mockResolvedValue('ok');
    expect(await withFreedSpace({ ...fakeBrowser.storage, dropImages }, db, store)).toBe('ok');
    expect(dropImages).toHaveBeenCalledTimes(1);
  });

  test('throws if nothing frees enough space', async () => {
    const cause = quotaError();
    const storing = withFreedSpace(fakeBrowser.storage, db, () => Promise.reject(cause));
    await expect(storing).rejects.toMatchObject({ name: 'StorageFullError', cause });
    await expect(storing).rejects.toThrow('No space left on this device');
  });

  test('throws the same error if freeing space needs space itself', async () => {
    await putFeed(db, pageOf(60), { etag: null, startedAt: 0 });
    db.listMeta.hook('updating', () => {
      throw quotaError();
    });
    const storing = withFreedSpace(fakeBrowser.storage, db, () => Promise.reject(quotaError()));
    await expect(storing).rejects.toThrow(StorageFullError);
    expect(await db.feed.count()).toBe(60);
  });

  test('rethrows other errors', async () => {
    const store = vi.fn().mockRejectedValue(new Error('something else'));
    await expect(withFreedSpace(fakeBrowser.storage, db, store)).rejects.toThrow('something else');
    expect(store).toHaveBeenCalledTimes(1);
  });
});

test.each([
  ['a quota error of the browser', quotaError()],
  ['a transaction aborted by a quota error', Object.assign(new Error('aborted'), { inner: quotaError() })],
  ['a bulk write that failed with a quota error', new Dexie.BulkError('bulkPut', { 1: quotaError() })],
  ['a change of rows that failed with a quota error', new Dexie.ModifyError('modify', [quotaError()])],
  ['a StorageFullError', new StorageFullError()],
])('%s means that the device is full', (_case, error) => {
  expect(isQuotaError(error)).toBe(true);
});

test.each([
  ['an error of another name', new Error('full')],
  [
    'a transaction that was aborted for another reason',
    Object.assign(new Error('aborted'), { inner: new Error() }),
  ],
  [
    'a transaction that was aborted without a reason',
    Object.assign(new Error('aborted'), { inner: undefined }),
  ],
  ['a bulk write that failed for another reason', new Dexie.BulkError('bulkPut', { 0: new Error() })],
  ['a string', 'QuotaExceededError'],
  ['undefined', undefined],
  ['an object that only resembles an error', { name: 'QuotaExceededError' }],
])('%s does not mean that the device is full', (_case, error) => {
  expect(isQuotaError(error)).toBe(false);
});
