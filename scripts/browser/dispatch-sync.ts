import type { BrowserContext } from '@playwright/test';
import { findServiceWorker } from './service-worker.ts';

/** The tag that the app registers for background sync. */
export const BACKGROUND_DRAIN_TAG = 'drain';

/** `isLastChance`: the browser will not try again. */
type SyncDispatcher = (options?: { isLastChance: boolean }) => Promise<void>;

/**
 * Returns a function that dispatches a background sync event to the service worker of `origin`, as the browser does when it
 * is online again. The service worker must be registered before; the browser dispatches nothing while the context is offline.
 */
export async function createSyncDispatcher(context: BrowserContext, origin: string): Promise<SyncDispatcher> {
  const { devTools, registrationId } = await findServiceWorker(context, origin);
  return async ({ isLastChance } = { isLastChance: false }) => {
    const event = { origin, registrationId, tag: BACKGROUND_DRAIN_TAG, lastChance: isLastChance };
    await devTools.send('ServiceWorker.dispatchSyncEvent', event);
  };
}
