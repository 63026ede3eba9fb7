import { offerUpdate } from '#app/lib/updates/update-offer.ts';
import { claimAutomaticReload } from './faults.ts';

async function loadNewBuild(): Promise<void> {
  // A 404 means that the server no longer has the chunks of this build. The service worker does not handle HEAD requests.
  const { status } = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store' });
  if (status !== 404) return;
  const { reloadSafely } = await import('#app/lib/updates/new-version.ts');
  if (claimAutomaticReload()) await reloadSafely();
  else offerUpdate('Reload', () => void reloadSafely());
}

/** When the server has a new build without the requested chunk, reloads the page: once automatically, then on request. */
export function watchForOldBuild(): void {
  let isLoading = false;
  window.addEventListener('vite:preloadError', () => {
    if (isLoading) return;
    isLoading = true;
    loadNewBuild()
      .catch(() => undefined)
      .finally(() => {
        isLoading = false;
      });
  });
}
