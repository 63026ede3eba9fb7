import type { WorkboxPlugin } from 'workbox-core';
import { ExpirationPlugin } from 'workbox-expiration';
import { Route } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';

/** A feed of ten pages has 480 images; past this bound the least recently used go first. */
const IMAGES_KEPT = 500;

/** Images never change under their name: from the cache, else from the network. */
export function imageRoute(): Route {
  const expiration = new ExpirationPlugin({ maxEntries: IMAGES_KEPT, purgeOnQuotaError: true });
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith('/uploads/'),
    // The plugin's own type is looser than the one asked for (a method may be undefined).
    new CacheFirst({ cacheName: IMAGE_CACHE, plugins: [expiration as WorkboxPlugin] }),
  );
}
