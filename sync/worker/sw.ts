import type { RouteHandlerCallback } from 'workbox-core';
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { SHARE_TARGET } from '#shared/service/constants.ts';
import { type Page, pageOf } from '#shared/service/rules.ts';
import { drainInBackground } from './background-drain.ts';
import { bypassApiRequests } from './bypass.ts';
import { imageRoute } from './images.ts';
import { showPushMessages } from './push.ts';
import { sharePageHandler } from './share-page.ts';
import { receivePhotos } from './share-target.ts';
import { activateOnRequest, previousAssetsRoute } from './update.ts';

declare const self: ServiceWorkerGlobalScope;

precacheAndRoute(self.__WB_MANIFEST);
cleanupOutdatedCaches();

const pageHandlers: Record<Page, RouteHandlerCallback> = {
  index: createHandlerBoundToURL('/index.html'),
  auth: createHandlerBoundToURL('/auth.html'),
  'auth-signup': createHandlerBoundToURL('/auth-signup.html'),
  home: createHandlerBoundToURL('/home.html'),
  share: sharePageHandler(createHandlerBoundToURL('/index.html')),
};
registerRoute(
  new NavigationRoute((options) => pageHandlers[pageOf(options.url)](options), {
    // Not pages of the app: the API, images, metrics, files of share links such as card images, and redirects for programs.
    denylist: [/^\/api(\/|$)/, /^\/uploads(\/|$)/, /^\/metrics$/, /^\/s\/[^/]+\/./, /^\/\.well-known\//],
  }),
);
registerRoute(
  ({ sameOrigin, url }) => sameOrigin && url.pathname === SHARE_TARGET.path,
  ({ request }) => receivePhotos(request),
  'POST',
);
registerRoute(imageRoute());
registerRoute(previousAssetsRoute());
bypassApiRequests(self);
activateOnRequest(self);
drainInBackground(self);
showPushMessages(self);
