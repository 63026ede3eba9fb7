import { afterLoad } from '#app/lib/after-load.ts';

/** Registers the service worker once the page has loaded; without one the app still works online. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  afterLoad
    .then(() => import('./new-version.ts'))
    .then(({ followVersions }) => followVersions())
    .catch(() => undefined);
}
