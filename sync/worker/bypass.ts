/** The Static Routing API, not in TypeScript's library yet: https://wicg.github.io/service-worker-static-routing-api/ */
type InstallEventWithRoutes = ExtendableEvent & {
  addRoutes?(rules: { condition: { urlPattern: { pathname: string } }; source: 'network' }): Promise<void>;
};

/** Sends API calls directly to the network where the browser supports it, without starting the worker. */
export function bypassApiRequests(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('install', (event: InstallEventWithRoutes) => {
    if (event.addRoutes === undefined) return;
    const routed = event.addRoutes({ condition: { urlPattern: { pathname: '/api/*' } }, source: 'network' });
    // A browser with another version of the Static Routing API may reject the rule. Its API calls then go through the worker.
    event.waitUntil(routed.catch(() => {}));
  });
}
