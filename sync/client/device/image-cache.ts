import { IMAGE_CACHE } from '#sync/protocol/worker.ts';

/** Lets go of the images that the service worker has kept; they can be fetched again. */
export async function dropImages(): Promise<void> {
  if (typeof caches === 'undefined') return;
  const cache = await caches.open(IMAGE_CACHE);
  // Deleted as a whole it would keep its room for as long as the service worker has it open.
  await Promise.all((await cache.keys()).map((image) => cache.delete(image)));
  await caches.delete(IMAGE_CACHE);
}
