import { cacheNames } from 'workbox-core';
import { getCacheKeyForURL } from 'workbox-precaching';
import { Route } from 'workbox-routing';

/** Parts of versions that are not in charge any more, for the pages that still run them. */
const FORMER_SHELL = 'former-shell';
/** The build puts a hash of its content into the name of each part. */
const PARTS = '/assets/';

/** Before this version takes over: the parts of the one in charge go with its shell, but its pages still need them. */
export async function keepFormerShell(worker: ServiceWorkerGlobalScope): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (pages.length <= 1) {
    await worker.caches.delete(FORMER_SHELL);
    return;
  }
  const shell = await worker.caches.open(cacheNames.precache);
  const former = await worker.caches.open(FORMER_SHELL);
  for (const request of await shell.keys()) {
    if (!new URL(request.url).pathname.startsWith(PARTS) || getCacheKeyForURL(request.url)) continue;
    const part = await shell.match(request);
    if (part !== undefined) await former.put(request, part);
  }
}

/** Parts that this version does not have: of a former one, else from the network. */
export function formerShellRoute(): Route {
  return new Route(
    ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith(PARTS),
    async ({ request }) => {
      const former = await caches.open(FORMER_SHELL);
      return (await former.match(request, { ignoreVary: true })) ?? fetch(request);
    },
  );
}
