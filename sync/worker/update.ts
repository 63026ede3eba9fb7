import { keepFormerShell } from './former-shell.ts';

/**
 * The first worker takes charge of the page that installed it. A new version waits until the person taps
 * Update (the page then posts this message) or until no page is open.
 */
export function takeOverWhenAsked(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
  worker.addEventListener('message', (event) => {
    if (event.data?.type === 'SKIP_WAITING') event.waitUntil(takeOver(worker));
  });
}

async function takeOver(worker: ServiceWorkerGlobalScope): Promise<void> {
  // A device without room for the old parts gets the new version all the same.
  await keepFormerShell(worker).catch(() => {});
  await worker.skipWaiting();
}
