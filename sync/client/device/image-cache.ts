import { normalizeImagePath } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { OpBlob } from '#sync/client/db.ts';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';

/** Deletes the images that the service worker has cached; they can be fetched again. */
export async function dropImages(): Promise<void> {
  if (typeof caches === 'undefined') return;
  const cache = await caches.open(IMAGE_CACHE);
  // Deleting only the cache frees no space while the service worker has it open.
  await Promise.all((await cache.keys()).map((image) => cache.delete(image)));
  await caches.delete(IMAGE_CACHE);
}

/** Caches the images of a new poll under their URLs on the server, from which no page has loaded them yet. */
export async function cacheOwnImages(poll: Poll, blobs: readonly OpBlob[]): Promise<void> {
  const cache = await caches.open(IMAGE_CACHE);
  for (const { slot, bytes, mime } of blobs) {
    const path = normalizeImagePath(slot === 1 ? poll.option1Image : poll.option2Image);
    await cache.put(path, new Response(bytes, { headers: { 'Content-Type': mime } }));
  }
}
