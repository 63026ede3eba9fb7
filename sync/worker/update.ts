import { cacheNames } from 'workbox-core';
import { getCacheKeyForURL } from 'workbox-precaching';
import { Route } from 'workbox-routing';

/** The cache with assets of previous versions, for pages that still use these versions. */
const PREVIOUS_ASSETS_CACHE = 'former-shell';
/** File names in this folder contain a hash of the content. */
const ASSETS_PATH = '/assets/';

async function countPages({ clients }: ServiceWorkerGlobalScope): Promise<number> {
  return (await clients.matchAll({ type: 'window', includeUncontrolled: true })).length;
}

/**
 * Copies the assets that only the active version has, because open pages still need them. Called in the new worker before it
 * activates: the precache then has the files of both versions, and Workbox deletes those of the active version at activation.
 */
async function keepPreviousAssets(worker: ServiceWorkerGlobalScope): Promise<void> {
  // A single page has requested the update itself, and will load the new version.
  if ((await countPages(worker)) <= 1) {
    await worker.caches.delete(PREVIOUS_ASSETS_CACHE);
    return;
  }
  const precache = await worker.caches.open(cacheNames.precache);
  const previous = await worker.caches.open(PREVIOUS_ASSETS_CACHE);
  for (const request of await precache.keys()) {
    const isInNewVersion = getCacheKeyForURL(request.url) !== undefined;
    if (!new URL(request.url).pathname.startsWith(ASSETS_PATH) || isInNewVersion) continue;
    const asset = await precache.match(request);
    if (asset !== undefined) await previous.put(request, asset);
  }
}

/** Creates the route for assets that this version does not have. Serves them from a previous version, else from the network. */
export function previousAssetsRoute(): Route {
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith(ASSETS_PATH),
    async ({ request }) => {
      const previous = await caches.open(PREVIOUS_ASSETS_CACHE);
      // The URL alone identifies an asset, whatever headers it was requested with.
      return (await previous.match(request, { ignoreVary: true })) ?? fetch(request);
    },
  );
}

/**
 * A new version activates once the user taps Update (the page then posts SKIP_WAITING) or no page is open. It then takes
 * control of all open pages. A page that was still loading at that moment posts CLAIM to be controlled, too.
 */
export function activateOnRequest(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('activate', (event) => event.waitUntil(takeControl(worker)));
  worker.addEventListener('message', (event) => {
    if (event.data?.type === 'SKIP_WAITING') event.waitUntil(activate(worker));
    if (event.data?.type === 'CLAIM') event.waitUntil(worker.clients.claim());
  });
}

async function takeControl(worker: ServiceWorkerGlobalScope): Promise<void> {
  await worker.clients.claim();
  if ((await countPages(worker)) === 0) await worker.caches.delete(PREVIOUS_ASSETS_CACHE);
}

async function activate(worker: ServiceWorkerGlobalScope): Promise<void> {
  // Activates the new version even if the device has no space for the previous assets.
  await keepPreviousAssets(worker).catch(() => {});
  await worker.skipWaiting();
}
