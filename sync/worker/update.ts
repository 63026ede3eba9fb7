import { cacheNames } from 'workbox-core';
import { getCacheKeyForURL } from 'workbox-precaching';
import { Route } from 'workbox-routing';

/** The cache with assets of previous versions, for pages that still use these versions. */
const PREVIOUS_ASSETS_CACHE = 'former-shell';
/** File names in this folder contain a hash of the content. */
const ASSETS_PATH = '/assets/';

/** Copies the assets of the active version before its precache is replaced, because open pages still need them. */
async function keepPreviousAssets(worker: ServiceWorkerGlobalScope): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // A single page has requested the update itself, and will load the new version.
  if (pages.length <= 1) {
    await worker.caches.delete(PREVIOUS_ASSETS_CACHE);
    return;
  }
  const shell = await worker.caches.open(cacheNames.precache);
  const previous = await worker.caches.open(PREVIOUS_ASSETS_CACHE);
  for (const request of await shell.keys()) {
    if (!new URL(request.url).pathname.startsWith(ASSETS_PATH) || getCacheKeyForURL(request.url)) continue;
    const asset = await shell.match(request);
    if (asset !== undefined) await previous.put(request, asset);
  }
}

/** Creates the route that serves assets missing in this version: from a previous version, else from the network. */
export function previousAssetsRoute(): Route {
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith(ASSETS_PATH),
    async ({ request }) => {
      const previous = await caches.open(PREVIOUS_ASSETS_CACHE);
      return (await previous.match(request, { ignoreVary: true })) ?? fetch(request);
    },
  );
}

/**
 * Lets the first worker take control of the page that has installed it; a page that was still loading posts CLAIM later. A new
 * version waits until the user taps Update (the page then posts SKIP_WAITING) or until no page is open.
 */
export function activateOnRequest(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
  worker.addEventListener('message', (event) => {
    if (event.data?.type === 'SKIP_WAITING') event.waitUntil(activate(worker));
    if (event.data?.type === 'CLAIM') event.waitUntil(worker.clients.claim());
  });
}

async function activate(worker: ServiceWorkerGlobalScope): Promise<void> {
  // Activates the new version even if the device has no space for the old assets.
  await keepPreviousAssets(worker).catch(() => {});
  await worker.skipWaiting();
}
