import { beforeEach, expect, test, vi } from 'vitest';
import type { UserDb } from '#sync/client/db.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { isQuotaError, StorageFullError, withFreedSpace } from './storage.ts';

const quotaError = () => Object.assign(new Error('full'), { name: 'QuotaExceededError' });

let db: UserDb;

beforeEach(async () => {
  const user = await freshUserDb();
  db = user.db;
  await queueVote(db, { userId: user.userId, pollId: POLL_ID, option: 1 }, 0);
  const [op] = await db.ops.toArray();
  if (op === undefined) throw new Error('The vote is not queued');
  await db.acknowledged.put({ opId: 'former', acknowledgedAt: 0, op: { ...op, opId: 'former' }, blobs: [] });
});

test('acknowledged ops are deleted before cached images, and waiting ops are never deleted', async () => {
  const store = vi.fn().mockResolvedValue('ok');
  store.mockRejectedValueOnce(quotaError());
  const dropImages = vi.fn(async () => {});
  await withFreedSpace({ dropImages }, db, store);
  expect(await db.acknowledged.count()).toBe(0);
  expect(dropImages).not.toHaveBeenCalled();

  store.mockRejectedValueOnce(quotaError()).mockRejectedValueOnce(quotaError());
  expect(await withFreedSpace({ dropImages }, db, store)).toBe('ok');
  expect(dropImages).toHaveBeenCalledOnce();
  expect(await db.ops.count()).toBe(1);
});

test('the error of a full device has the browser’s error as its cause', async () => {
  const cause = quotaError();
  const storing = withFreedSpace(fakeBrowser.storage, db, () => Promise.reject(cause));
  await expect(storing).rejects.toMatchObject({ name: 'StorageFullError', cause });
  await expect(storing).rejects.toThrow('No space left on this device');
});

test.each([
  ['a quota error of the browser', quotaError()],
  ['a transaction aborted by a quota error', Object.assign(new Error('aborted'), { inner: quotaError() })],
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
  ['a string', 'QuotaExceededError'],
  ['undefined', undefined],
  ['an object that only resembles an error', { name: 'QuotaExceededError' }],
])('%s does not mean that the device is full', (_case, error) => {
  expect(isQuotaError(error)).toBe(false);
});
