import { HOUR_MS } from '#shared/time.ts';
import { RECEIVED_FIELDS, RECEIVED_PHOTOS } from '#sync/protocol/worker.ts';

/** How long photos are kept. After that, somebody else may be using the app. */
const PHOTOS_KEPT_MS = HOUR_MS;

/** Photos that another app has shared. `count`: the number of shared photos; `files`: the first of them. */
export type ReceivedPhotos = { files: readonly File[]; count: number };

/** Reads the received photos that are not in a draft yet, and deletes them if they are too old. Null if there are none. */
export async function readReceivedPhotos(): Promise<ReceivedPhotos | null> {
  if (typeof caches === 'undefined') return null;
  const response = await caches.match(RECEIVED_PHOTOS.path, { cacheName: RECEIVED_PHOTOS.cache });
  if (response === undefined) return null;
  const form = await response.formData();
  const files = form.getAll(RECEIVED_FIELDS.photos).filter((value) => value instanceof File);
  // Absolute, because the clock may have been set back since.
  const ageMs = Math.abs(Date.now() - Number(form.get(RECEIVED_FIELDS.receivedAtMs)));
  if (ageMs < PHOTOS_KEPT_MS) return { files, count: Number(form.get(RECEIVED_FIELDS.count)) };
  await dropReceivedPhotos();
  return null;
}

/** Deletes the photos that another app has shared. */
export async function dropReceivedPhotos(): Promise<void> {
  if (typeof caches === 'undefined') return;
  const cache = await caches.open(RECEIVED_PHOTOS.cache);
  // Deleting only the cache frees no space while the service worker has it open.
  await cache.delete(RECEIVED_PHOTOS.path);
  await caches.delete(RECEIVED_PHOTOS.cache);
}
