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

const full = () => Object.assign(new Error('full'), { name: 'QuotaExceededError' });

function pages(count: number) {
  const data = Array.from({ length: count }, (_, index) =>
    samplePoll({ id: `019352aa-0000-7000-8000-${String(index).padStart(12, '0')}` }),
  );
  return { data, pagination: { limit: 24, offset: 0, hasMore: true, nextCursor: 'c' } };
}

describe('a device that is nearly full', () => {
  test('accepts no image that would use up the reserve', async () => {
    const storage = { ...fakeBrowser.storage, freeBytes: async () => 12 * MB };
    expect(await hasSpaceFor(storage, 2 * MB)).toBe(true);
    expect(await hasSpaceFor(storage, 2 * MB + 1)).toBe(false);
    expect(await hasSpaceFor(fakeBrowser.storage, 999 * MB)).toBe(true);
  });

  test('deletes cached images, then old pages, never waiting ops', async () => {
    await putFirstPage(db, pages(60), { etag: null, startedAt: 0 });
    const dropImages = vi.fn(async () => {});
    const store = vi.fn().mockResolvedValue('ok');
    for (let relief = 1; relief <= 3; relief += 1) store.mockRejectedValueOnce(full());
    expect(await withFreedSpace({ ...fakeBrowser.storage, dropImages }, db, store)).toBe('ok');
    expect(dropImages).toHaveBeenCalledTimes(1);
    expect(await db.feed.count()).toBe(24);
    expect(await db.polls.count()).toBe(24);
    expect(await db.listMeta.get('feed')).toMatchObject({ hasMore: true, nextCursor: null });
  });

  test('deletes images too when the estimate shows too little space', async () => {
    const dropImages = vi.fn(async () => {});
    const full = new StorageFullError();
    const store = vi.fn().mockRejectedValueOnce(full).mockRejectedValueOnce(full).mockResolvedValue('ok');
    expect(await withFreedSpace({ ...fakeBrowser.storage, dropImages }, db, store)).toBe('ok');
    expect(dropImages).toHaveBeenCalledTimes(1);
  });

  test('throws if nothing frees enough space', async () => {
    const store = vi.fn().mockRejectedValue(Object.assign(new Error('aborted'), { inner: full() }));
    await expect(withFreedSpace(fakeBrowser.storage, db, store)).rejects.toThrow(StorageFullError);
  });

  test('rethrows other errors', async () => {
    const store = vi.fn().mockRejectedValue(new Error('something else'));
    await expect(withFreedSpace(fakeBrowser.storage, db, store)).rejects.toThrow('something else');
    expect(store).toHaveBeenCalledTimes(1);
  });
});
