import type { WorkboxPlugin } from 'workbox-core';
import { ExpirationPlugin } from 'workbox-expiration';
import { Route } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';
import { PICTURE_CACHE } from '#sync/protocol/worker.ts';

/** A feed of ten pages has 480 pictures; past this bound the least recently used go first. */
const PICTURES_KEPT = 500;

/** Pictures never change under their name: from the cache, else from the network. */
export function pictureRoute(): Route {
  const expiration = new ExpirationPlugin({ maxEntries: PICTURES_KEPT, purgeOnQuotaError: true });
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith('/uploads/'),
    // The plugin's own type is looser than the one asked for (a method may be undefined).
    new CacheFirst({ cacheName: PICTURE_CACHE, plugins: [expiration as WorkboxPlugin] }),
  );
}
