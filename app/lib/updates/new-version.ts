import { Workbox } from 'workbox-window';
import { DRAFT_SAVE_DELAY_MS } from '#app/lib/drafts/draft-store.ts';
import { sessionState } from '#app/lib/engine/engine.ts';
import { stopSending } from '#sync/client/device/lock.ts';
import { offerUpdate } from './update-offer.ts';

/** A change that takes longer to send is aborted by the reload; the new version sends it again. */
const SEND_TIMEOUT_MS = 10_000;
/** How long to wait for the new service worker to take control of the page. */
const ACTIVATION_TIMEOUT_MS = 5_000;

/** If the page still runs this long after its reload was requested, the user has cancelled the reload. */
const RELOAD_TIMEOUT_MS = 5_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Reloads the page once no queued change is being sent and drafts are saved; `activate` makes the new version take control before.
 * If the user cancels the reload, because the browser asks whether to leave an upload, it is offered again, as `retry`.
 */
export async function reloadSafely(
  activate = async () => {},
  retry: () => void = () => void reloadSafely(activate),
): Promise<void> {
  const session = sessionState.get();
  const sending = session.status === 'user' ? stopSending(session.user.id, SEND_TIMEOUT_MS) : undefined;
  const [resumeSending] = await Promise.all([sending, sleep(2 * DRAFT_SAVE_DELAY_MS)]);
  // If the new version still waits then, the reloaded page runs the old one and offers the new one again.
  await Promise.race([activate().catch(() => undefined), sleep(ACTIVATION_TIMEOUT_MS)]);
  location.reload();
  await sleep(RELOAD_TIMEOUT_MS);
  resumeSending?.();
  offerUpdate('Reload', retry);
}

/** Registers the service worker and offers each new version, which waits until the user agrees or no page is open. */
export async function watchForUpdates(): Promise<void> {
  const { serviceWorker } = navigator;
  const workbox = new Workbox('/sw.js', { scope: '/' });
  let isInstalling = false;

  function install(): void {
    isInstalling = true;
    const activate = async () => {
      const activated = new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve));
      const registration = await serviceWorker.getRegistration();
      // Another tab may have activated the new version in the meantime.
      if (!registration?.waiting) return;
      workbox.messageSkipWaiting();
      await activated;
    };
    void reloadSafely(activate, install).finally(() => {
      isInstalling = false;
    });
  }

  workbox.addEventListener('waiting', () => {
    if (!isInstalling) offerUpdate('Update', install);
  });
  let hadWorker = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    // Another tab has activated the new version. This tab may contain a draft, so it is reloaded only when the user agrees.
    if (hadWorker && !isInstalling) offerUpdate('Reload', install);
    hadWorker = true;
  });
  await workbox.register();
  const { active } = await serviceWorker.ready;
  // A page that is still loading when the worker takes control of all pages is not controlled by it.
  if (serviceWorker.controller === null) active?.postMessage({ type: 'CLAIM' });
}
