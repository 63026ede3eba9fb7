/** The Static Routing API, not in TypeScript's library yet: https://wicg.github.io/service-worker-static-routing-api/ */
type InstallEventWithRoutes = ExtendableEvent & {
  addRoutes?(rules: { condition: { urlPattern: { pathname: string } }; source: 'network' }): Promise<void>;
};

/** Sends API calls directly to the network where the browser supports it, without starting the worker. */
export function bypassApiRequests(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('install', (event: InstallEventWithRoutes) => {
    if (event.addRoutes === undefined) return;
    const routed = event.addRoutes({ condition: { urlPattern: { pathname: '/api/*' } }, source: 'network' });
    // The browser may have another version of this API.
    event.waitUntil(routed.catch(() => {}));
  });
}
