/** The Static Routing API, which no type library knows yet: https://wicg.github.io/service-worker-static-routing-api/ */
type InstallEventWithRoutes = ExtendableEvent & {
  addRoutes?(rules: { condition: { urlPattern: { pathname: string } }; source: 'network' }): Promise<void>;
};

/** Where the browser can, calls of the API go straight to the network: the worker need not even be started for them. */
export function leaveApiAlone(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('install', (event: InstallEventWithRoutes) => {
    if (event.addRoutes === undefined) return;
    const routed = event.addRoutes({ condition: { urlPattern: { pathname: '/api/*' } }, source: 'network' });
    // A browser that knows another version of this interface does without it.
    event.waitUntil(routed.catch(() => {}));
  });
}
