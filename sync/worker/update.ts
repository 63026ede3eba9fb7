/**
 * The first worker takes charge of the page that installed it. A new version waits until the person taps
 * Update (the page then posts this message) or until no page is open.
 */
export function takeOverWhenAsked(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
  worker.addEventListener('message', (event) => {
    if (event.data?.type === 'SKIP_WAITING') void worker.skipWaiting();
  });
}
