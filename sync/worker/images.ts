import type { WorkboxPlugin } from 'workbox-core';
import { ExpirationPlugin } from 'workbox-expiration';
import { Route } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';
import { IMAGE_PATH_PREFIX } from '#shared/polls/constants.ts';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';

/**
 * Enough for ten pages of the feed, which have 480 images. Beyond this number, the least recently used images are deleted; those
 * that `cacheOwnImages` stores count only once they have been shown.
 */
const CACHED_IMAGES_MAX = 500;

/**
 * Creates the route that serves images from the cache or else from the network. The content of an image's URL never changes.
 */
export function imageRoute(): Route {
  const expiration = new ExpirationPlugin({ maxEntries: CACHED_IMAGES_MAX, purgeOnQuotaError: true });
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith(IMAGE_PATH_PREFIX),
    // The plugin's type allows undefined methods.
    new CacheFirst({ cacheName: IMAGE_CACHE, plugins: [expiration as WorkboxPlugin] }),
  );
}
