import { atom } from 'jotai';
import { store } from './store.ts';

type Update = { apply(): void };

/** A new version that waits for a tap; null while there is none. */
export const updateAtom = atom<Update | null>(null);

async function register(): Promise<void> {
  const { Workbox } = await import('workbox-window');
  const workbox = new Workbox('/sw.js', { scope: '/' });
  let asked = false;
  workbox.addEventListener('waiting', () => {
    store.set(updateAtom, {
      apply() {
        asked = true;
        workbox.messageSkipWaiting();
      },
    });
  });
  // Only the tab in which Update was tapped reloads: another one may hold a draft.
  workbox.addEventListener('controlling', () => {
    if (asked) location.reload();
  });
  await workbox.register();
}

/** Registers the service worker once the page has loaded; without one the app still works online. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const run = () => void register().catch(() => undefined);
  if (document.readyState === 'complete') run();
  else window.addEventListener('load', run, { once: true });
}
