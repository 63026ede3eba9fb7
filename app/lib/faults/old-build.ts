import { offerUpdate } from '#app/lib/updates/update-offer.ts';
import { claimReload } from './faults.ts';

/** Whether the server has another build by now, whose parts have other names. */
async function isBuildGone(): Promise<boolean> {
  // The service worker answers no HEAD.
  const { status } = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store' });
  return status === 404;
}

async function renew(): Promise<void> {
  if (!(await isBuildGone())) return;
  const { reloadWithCare } = await import('#app/lib/updates/new-version.ts');
  if (claimReload()) await reloadWithCare();
  else offerUpdate('Reload', () => void reloadWithCare());
}

/** A part of the app that cannot be loaded because its build is gone: the new one is loaded, once by itself. */
export function watchOldBuild(): void {
  let isRenewing = false;
  window.addEventListener('vite:preloadError', () => {
    if (isRenewing) return;
    isRenewing = true;
    renew()
      .catch(() => undefined)
      .finally(() => {
        isRenewing = false;
      });
  });
}
