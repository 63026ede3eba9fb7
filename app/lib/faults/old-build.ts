import { offerUpdate } from '#app/lib/updates/update-offer.ts';
import { claimAutomaticReload } from './faults.ts';

/** Whether the server no longer has the chunks of this build. */
async function isBuildGone(): Promise<boolean> {
  // The service worker answers no HEAD.
  const { status } = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store' });
  return status === 404;
}

async function loadNewBuild(): Promise<void> {
  if (!(await isBuildGone())) return;
  const { reloadSafely } = await import('#app/lib/updates/new-version.ts');
  if (claimAutomaticReload()) await reloadSafely();
  else offerUpdate('Reload', () => void reloadSafely());
}

/** When a chunk cannot be loaded because the server has a new build, loads that one: once automatically, then on request. */
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
