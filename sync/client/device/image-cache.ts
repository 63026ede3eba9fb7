import { IMAGE_CACHE } from '#sync/protocol/worker.ts';

/** Deletes the images that the service worker has cached; they can be fetched again. */
export async function dropImages(): Promise<void> {
  if (typeof caches === 'undefined') return;
  const cache = await caches.open(IMAGE_CACHE);
  // Deleting only the cache frees no space while the service worker has it open.
  await Promise.all((await cache.keys()).map((image) => cache.delete(image)));
  await caches.delete(IMAGE_CACHE);
}
