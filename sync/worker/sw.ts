import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { drainInBackground } from './background-drain.ts';
import { leaveApiAlone } from './bypass.ts';
import { formerShellRoute } from './former-shell.ts';
import { imageRoute } from './images.ts';
import { takeOverWhenAsked } from './update.ts';

declare const self: ServiceWorkerGlobalScope;

precacheAndRoute(self.__WB_MANIFEST);
cleanupOutdatedCaches();
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    denylist: [/^\/api(\/|$)/, /^\/uploads(\/|$)/, /^\/metrics$/],
  }),
);
registerRoute(imageRoute());
registerRoute(formerShellRoute());
leaveApiAlone(self);
takeOverWhenAsked(self);
drainInBackground(self);
