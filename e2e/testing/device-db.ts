import type { Page } from '@playwright/test';

/** The service worker's cache of images. */
export const IMAGE_CACHE = 'pictures';

/** The fields of a queued op that tests check. */
type StoredOp = { type: 'vote' | 'createPoll'; entityId: string; state: string };

/** A queued image. `magic` is its first twelve bytes as text. */
type StoredImage = { mime: string; bytes: number; width: number; height: number; magic: string };

/** Reads the queue of a user directly from IndexedDB. */
export function readQueue(page: Page, userId: number): Promise<{ ops: StoredOp[]; images: StoredImage[] }> {
  return page.evaluate(async (id) => {
    const resultOf = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const db = await resultOf(indexedDB.open(`this-or-that-user-${id}`));
    const transaction = db.transaction(['ops', 'opBlobs']);
    const [ops, blobs] = await Promise.all([
      resultOf(transaction.objectStore('ops').getAll()),
      resultOf(transaction.objectStore('opBlobs').getAll()),
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

/** Changes fields of one stored row of a user; null deletes the row. */
function updateRow(page: Page, userId: number, row: [store: string, key: string], change: object | null) {
  return page.evaluate(
    async ([user, [store, key], changed]) => {
      const opening = indexedDB.open(`this-or-that-user-${user}`);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const transaction = opening.result.transaction(store, 'readwrite');
      const rows = transaction.objectStore(store);
      const reading = rows.get(key);
      reading.onsuccess = () =>
        changed === null ? rows.delete(key) : rows.put({ ...reading.result, ...changed });
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(new Error(`The row ${key} of ${store} could not be changed`));
      });
      opening.result.close();
    },
    [userId, row, change] as const,
  );
}

export function updateCachedPoll(page: Page, userId: number, pollId: string, change: object): Promise<void> {
  return updateRow(page, userId, ['polls', pollId], change);
}

export function deleteCachedPoll(page: Page, userId: number, pollId: string): Promise<void> {
  return updateRow(page, userId, ['polls', pollId], null);
}

/** Sets when the feed was last fetched, in milliseconds by the device's clock. */
export function setFeedFetchedAt(page: Page, userId: number, fetchedAt: number): Promise<void> {
  return updateRow(page, userId, ['listMeta', 'feed'], { fetchedAt });
}

/** The stored HTML of the snapshot of the Polls tab, or null. */
export function storedSnapshot(page: Page): Promise<string | null> {
  return page.evaluate(
    () =>
      new Promise<string | null>((resolve) => {
        const opening = indexedDB.open('this-or-that-device');
        // The app has not created the database yet.
        opening.onupgradeneeded = () => opening.transaction?.abort();
        opening.onerror = () => resolve(null);
        opening.onsuccess = () => {
          const reading = opening.result.transaction('entries').objectStore('entries').get('homeSnapshot');
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result?.html ?? null);
          };
        };
      }),
  );
}
