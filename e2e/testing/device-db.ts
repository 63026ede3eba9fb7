import type { Page } from '@playwright/test';

/** The service worker's cache of images. */
export const IMAGE_CACHE = 'pictures';

/** What is of interest of a change that waits. */
type StoredOp = { type: 'vote' | 'createPoll'; entityId: string; state: string };

/** What a queued image really is. `magic` is its first twelve bytes, as text. */
type StoredImage = { mime: string; bytes: number; width: number; height: number; magic: string };

/** The queue of a user on this device, read from beside the app. */
export function readQueue(page: Page, userId: number): Promise<{ ops: StoredOp[]; images: StoredImage[] }> {
  return page.evaluate(async (id) => {
    const done = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const db = await done(indexedDB.open(`this-or-that-user-${id}`));
    const transaction = db.transaction(['ops', 'opBlobs']);
    const [ops, blobs] = await Promise.all([
      done(transaction.objectStore('ops').getAll()),
      done(transaction.objectStore('opBlobs').getAll()),
    ]);
    db.close();
    const images = blobs.map(({ mime, bytes, width, height }) => ({
      mime,
      bytes: bytes.byteLength,
      width,
      height,
      magic: String.fromCharCode(...new Uint8Array(bytes, 0, 12)),
    }));
    return { ops, images };
  }, userId);
}

/** Changes one stored row of a user, as the passing of time would. */
function changeRow(page: Page, userId: number, place: [store: string, key: string], change: object) {
  return page.evaluate(
    async ([user, [store, key], changed]) => {
      const opening = indexedDB.open(`this-or-that-user-${user}`);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const transaction = opening.result.transaction(store, 'readwrite');
      const rows = transaction.objectStore(store);
      const reading = rows.get(key);
      reading.onsuccess = () => rows.put({ ...reading.result, ...changed });
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      opening.result.close();
    },
    [userId, place, change] as const,
  );
}

export function changePoll(page: Page, userId: number, pollId: string, change: object): Promise<void> {
  return changeRow(page, userId, ['polls', pollId], change);
}

/** The feed was last fetched at `fetchedAt`, in milliseconds by the device's clock. */
export function dateFeed(page: Page, userId: number, fetchedAt: number): Promise<void> {
  return changeRow(page, userId, ['listMeta', 'feed'], { fetchedAt });
}
