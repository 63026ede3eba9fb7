import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { UserDb } from '#sync/client/db.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { putFirstPage } from './cached-lists.ts';
import { hasSpaceFor, StorageFullError, withFreedSpace } from './storage.ts';

const MB = 1024 * 1024;
let db: UserDb;

beforeEach(async () => {
  ({ db } = await freshUserDb());
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
    const storage = { ...fakeBrowser.storage, freeBytes: async () => 12 * MB };
    expect(await hasSpaceFor(storage, 2 * MB)).toBe(true);
    expect(await hasSpaceFor(storage, 2 * MB + 1)).toBe(false);
    expect(await hasSpaceFor(fakeBrowser.storage, 999 * MB)).toBe(true);
  });

  test('deletes cached images, then old pages of the feed', async () => {
    await putFirstPage(db, pageOf(60), { etag: null, startedAt: 0 });
    const dropImages = vi.fn(async () => {});
    const store = vi.fn().mockResolvedValue('ok');
    for (let attempt = 1; attempt <= 3; attempt += 1) store.mockRejectedValueOnce(quotaError());
    expect(await withFreedSpace({ ...fakeBrowser.storage, dropImages }, db, store)).toBe('ok');
    expect(dropImages).toHaveBeenCalledTimes(1);
    expect(await db.feed.count()).toBe(24);
    expect(await db.polls.count()).toBe(24);
    expect(await db.listMeta.get('feed')).toMatchObject({ hasMore: true, nextCursor: null });
  });

  test('deletes cached images if the browser’s estimate shows too little space', async () => {
    const dropImages = vi.fn(async () => {});
    const error = new StorageFullError();
    const store = vi.fn().mockRejectedValueOnce(error).mockRejectedValueOnce(error).mockResolvedValue('ok');
    expect(await withFreedSpace({ ...fakeBrowser.storage, dropImages }, db, store)).toBe('ok');
    expect(dropImages).toHaveBeenCalledTimes(1);
  });

  test('throws if nothing frees enough space', async () => {
    const store = vi.fn().mockRejectedValue(Object.assign(new Error('aborted'), { inner: quotaError() }));
    await expect(withFreedSpace(fakeBrowser.storage, db, store)).rejects.toThrow(StorageFullError);
  });

  test('rethrows other errors', async () => {
    const store = vi.fn().mockRejectedValue(new Error('something else'));
    await expect(withFreedSpace(fakeBrowser.storage, db, store)).rejects.toThrow('something else');
    expect(store).toHaveBeenCalledTimes(1);
  });
});
