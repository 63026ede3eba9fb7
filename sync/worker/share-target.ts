import { SHARE_TARGET, SHARE_TARGET_SCREENS } from '#shared/service/constants.ts';
import { RECEIVED_FIELDS, RECEIVED_PHOTOS } from '#sync/protocol/worker.ts';

/** The most photos to keep: a poll has two images. */
const PHOTOS_MAX = 2;

/**
 * Stores photos that another app shares and redirects to a new poll. Works without a network. Nothing is sent to the server, so
 * a cross-site request (CSRF) can only replace photos that were received before, and open that screen.
 */
export async function receivePhotos(request: Request): Promise<Response> {
  const screen = await storePhotos(request).then(
    () => SHARE_TARGET_SCREENS.received,
    () => SHARE_TARGET_SCREENS.notStored,
  );
  return Response.redirect(screen, 303);
}

/** Replaces earlier photos with the shared photos. Throws if no photos were shared or there is no space for them. */
async function storePhotos(request: Request): Promise<void> {
  const cache = await caches.open(RECEIVED_PHOTOS.cache);
  await cache.delete(RECEIVED_PHOTOS.path);
  const shared = (await request.formData()).getAll(SHARE_TARGET.field);
  // A form without files contains an empty file without a name.
  const photos = shared.filter((value) => value instanceof File && (value.name !== '' || value.size > 0));
  if (photos.length === 0) throw new Error('No photos were shared');
  const form = new FormData();
  for (const photo of photos.slice(0, PHOTOS_MAX)) form.append(RECEIVED_FIELDS.photos, photo);
  form.set(RECEIVED_FIELDS.count, String(photos.length));
  form.set(RECEIVED_FIELDS.receivedAtMs, String(Date.now()));
  await cache.put(RECEIVED_PHOTOS.path, new Response(form));
}
