import { PICTURE_CACHE } from '#sync/protocol/worker.ts';

/** Lets go of the pictures that the service worker has kept; they can be fetched again. */
export async function dropPictures(): Promise<void> {
  if (typeof caches === 'undefined') return;
  const cache = await caches.open(PICTURE_CACHE);
  // Deleted as a whole it would keep its room for as long as the service worker has it open.
  await Promise.all((await cache.keys()).map((picture) => cache.delete(picture)));
  await caches.delete(PICTURE_CACHE);
}
