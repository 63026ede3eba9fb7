import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { drainInBackground } from './background-drain.ts';
import { bypassApiRequests } from './bypass.ts';
import { imageRoute } from './images.ts';
import { activateOnRequest, previousAssetsRoute } from './update.ts';

declare const self: ServiceWorkerGlobalScope;

precacheAndRoute(self.__WB_MANIFEST);
cleanupOutdatedCaches();
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    denylist: [/^\/api(\/|$)/, /^\/uploads(\/|$)/, /^\/metrics$/],
  }),
);
registerRoute(imageRoute());
registerRoute(previousAssetsRoute());
bypassApiRequests(self);
activateOnRequest(self);
drainInBackground(self);
