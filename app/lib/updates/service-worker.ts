/** Registers the service worker once the page has loaded; without one the app still works online. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const run = () => {
    import('./new-version.ts').then(({ followVersions }) => followVersions()).catch(() => undefined);
  };
  if (document.readyState === 'complete') run();
  else window.addEventListener('load', run, { once: true });
}
