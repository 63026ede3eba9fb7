import type { BrowserContext } from '@playwright/test';

/** What the app asks the browser to wake the service worker for. */
export const BACKGROUND_DRAIN_TAG = 'drain';

/** `isLastChance`: the browser will not try again. */
type WakeWorker = (options?: { isLastChance: boolean }) => Promise<void>;

/**
 * Makes ready to do, as often as wanted, what the browser does when there is a signal again: it wakes the service worker
 * of `origin`. That has to be registered by then, and nothing is done for it while it is offline.
 */
export async function prepareSync(context: BrowserContext, origin: string): Promise<WakeWorker> {
  const blank = await context.newPage();
  const devTools = await context.newCDPSession(blank);
  const { promise, resolve } = Promise.withResolvers<string>();
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const ours = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted);
    if (ours !== undefined) resolve(ours.registrationId);
  });
  await devTools.send('ServiceWorker.enable');
  const registrationId = await promise;
  return async ({ isLastChance } = { isLastChance: false }) => {
    const event = { origin, registrationId, tag: BACKGROUND_DRAIN_TAG, lastChance: isLastChance };
    await devTools.send('ServiceWorker.dispatchSyncEvent', event);
  };
}
