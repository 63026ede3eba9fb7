import type { WorkboxPlugin } from 'workbox-core';
import { ExpirationPlugin } from 'workbox-expiration';
import { Route } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';

/** Enough for a feed of ten pages, which has 480 images. Beyond this number, the least recently used images are deleted. */
const IMAGES_KEPT = 500;

/** The route that serves images from the cache, else from the network: the content of an image's URL never changes. */
export function imageRoute(): Route {
  const expiration = new ExpirationPlugin({ maxEntries: IMAGES_KEPT, purgeOnQuotaError: true });
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith('/uploads/'),
    // The plugin's type allows undefined methods.
    new CacheFirst({ cacheName: IMAGE_CACHE, plugins: [expiration as WorkboxPlugin] }),
  );
}
