import type { BrowserContext } from '@playwright/test';

/** The tag that the app registers for background sync. */
export const BACKGROUND_DRAIN_TAG = 'drain';

/** `isLastChance`: the browser will not try again. */
type WakeWorker = (options?: { isLastChance: boolean }) => Promise<void>;

/**
 * Returns a function that dispatches a background sync event to the service worker of `origin`, as the browser does when it
 * is online again. The service worker must be registered before; the browser dispatches nothing while the context is offline.
 */
export async function prepareSync(context: BrowserContext, origin: string): Promise<WakeWorker> {
  const blank = await context.newPage();
  const devTools = await context.newCDPSession(blank);
  const { promise: registered, resolve } = Promise.withResolvers<string>();
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const ours = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted);
    if (ours !== undefined) resolve(ours.registrationId);
  });
  await devTools.send('ServiceWorker.enable');
  const registrationId = await registered;
  return async ({ isLastChance } = { isLastChance: false }) => {
    const event = { origin, registrationId, tag: BACKGROUND_DRAIN_TAG, lastChance: isLastChance };
    await devTools.send('ServiceWorker.dispatchSyncEvent', event);
  };
}
