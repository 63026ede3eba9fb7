import type { BrowserContext } from '@playwright/test';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';

/**
 * Makes ready to do what the browser does when there is a signal again: it wakes the service worker of `origin`, which
 * must be registered by then. `isLastChance`: the browser will not try again.
 */
export async function prepareSync(
  context: BrowserContext,
  origin: string,
): Promise<(options?: { isLastChance: boolean }) => Promise<void>> {
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
    await blank.close();
  };
}
