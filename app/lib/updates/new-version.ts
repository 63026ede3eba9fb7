import { Workbox } from 'workbox-window';
import { DRAFT_KEPT_AFTER_MS } from '#app/lib/drafts/draft-store.ts';
import { sessionState } from '#app/lib/engine/engine.ts';
import { finishSending } from '#sync/client/device/lock.ts';
import { offerUpdate } from './update-offer.ts';

/** What takes longer to be sent is cut, and sent again by the new version. */
const SENDING_WITHIN_MS = 10_000;
/** A new service worker that has not taken over by then does so another time. */
const TAKEN_OVER_WITHIN_MS = 5_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Loads this page anew, after what is being sent has arrived and what is being written is kept. */
export async function reloadWithCare(takeOver = async () => {}): Promise<void> {
  const session = sessionState.get();
  const sent = session.status === 'user' ? finishSending(session.user.id, SENDING_WITHIN_MS) : undefined;
  await Promise.all([sent, sleep(2 * DRAFT_KEPT_AFTER_MS)]);
  await takeOver();
  location.reload();
}

/** Registers the service worker, and offers each new version. None takes over by itself. */
export async function followVersions(): Promise<void> {
  const { serviceWorker } = navigator;
  const workbox = new Workbox('/sw.js', { scope: '/' });
  let isBringing = false;

  function bring(): void {
    isBringing = true;
    void reloadWithCare(async () => {
      const takenOver = new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve));
      const registration = await serviceWorker.getRegistration();
      // Another tab may have brought it meanwhile.
      if (!registration?.waiting) return;
      workbox.messageSkipWaiting();
      await Promise.race([takenOver, sleep(TAKEN_OVER_WITHIN_MS)]);
    });
  }

  workbox.addEventListener('waiting', () => {
    if (!isBringing) offerUpdate('Update', bring);
  });
  let hadWorker = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    // Another tab has brought it: this one, which may hold a draft, goes on as it is until the person says so.
    if (hadWorker && !isBringing) offerUpdate('Reload', bring);
    hadWorker = true;
  });
  await workbox.register();
}
