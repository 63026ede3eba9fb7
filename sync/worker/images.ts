import type { WorkboxPlugin } from 'workbox-core';
import { ExpirationPlugin } from 'workbox-expiration';
import { Route } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';

/** A feed of ten pages has 480 images; beyond this the least recently used are deleted. */
const IMAGES_KEPT = 500;

/** Serves images from the cache, else from the network: the bytes of a name never change. */
export function imageRoute(): Route {
  const expiration = new ExpirationPlugin({ maxEntries: IMAGES_KEPT, purgeOnQuotaError: true });
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith('/uploads/'),
    // The plugin's type allows undefined methods.
    new CacheFirst({ cacheName: IMAGE_CACHE, plugins: [expiration as WorkboxPlugin] }),
  );
}
