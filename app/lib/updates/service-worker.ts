import { afterLoad } from '#app/lib/browser/after-load.ts';

/**
 * Registers the service worker once the page has loaded. Without a service worker, the app can only be opened online; a tab that
 * is open already still queues changes offline.
 */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  afterLoad
    .then(() => import('./new-version.ts'))
    .then(({ watchForUpdates }) => watchForUpdates())
    .catch(() => undefined);
}
