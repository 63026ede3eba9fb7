import type { BrowserContext, CDPSession } from '@playwright/test';

/**
 * Finds the service worker of `origin`, which must be registered before, for commands of the DevTools protocol. Opens an empty
 * page, whose DevTools session is returned.
 */
export async function findServiceWorker(
  context: BrowserContext,
  origin: string,
): Promise<{ devTools: CDPSession; registrationId: string }> {
  const devTools = await context.newCDPSession(await context.newPage());
  const { promise, resolve } = Promise.withResolvers<string>();
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const registration = registrations.find(
      ({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted,
    );
    if (registration !== undefined) resolve(registration.registrationId);
  });
  await devTools.send('ServiceWorker.enable');
  return { devTools, registrationId: await promise };
}
