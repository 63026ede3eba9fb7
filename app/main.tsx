import './index.css';
import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { AppErrorBoundary } from '#app/layouts/error-boundaries.tsx';
import { initTheme } from '#app/lib/browser/theme.ts';
import { claimTab } from '#app/lib/drafts/tab-id.ts';
import { startEngine } from '#app/lib/engine/engine.ts';
import { watchForFaults } from '#app/lib/faults/faults.ts';
import { watchForOldBuild } from '#app/lib/faults/old-build.ts';
import { registerServiceWorker } from '#app/lib/updates/service-worker.ts';
import { pageOf } from '#shared/service/rules.ts';
import { AppRoutes, loadScreen } from './router.tsx';

history.scrollRestoration = 'manual';
// The original function: `watchForFaults` replaces it by one that also reports a fault. An error that a boundary has caught is
// only printed, because the boundary shows what is broken.
const { error: printError } = console;
watchForFaults();
watchForOldBuild();
const screenLoaded = loadScreen(location.pathname);
claimTab();
initTheme();
startEngine();
registerServiceWorker();

const app = (
  <StrictMode>
    <AppErrorBoundary>
      <BrowserRouter>
        <AppRoutes />
      </BrowserRouter>
    </AppErrorBoundary>
  </StrictMode>
);

/** Hydrates the prerendered page of this address, or renders the app if the page is not prerendered. */
async function render(root: HTMLElement): Promise<void> {
  const onCaughtError = (error: unknown) => printError(error);
  const page = pageOf(new URL(location.href));
  if (root.dataset.page !== page) {
    createRoot(root, { onCaughtError }).render(app);
    return;
  }
  // The prerendered /home contains only the fallback of its screen; other pages are hydrated with their screen.
  if (page !== 'home') await screenLoaded;
  // A transition can be interrupted, so that hydration is not one long task.
  startTransition(() => {
    hydrateRoot(root, app, {
      onCaughtError,
      // After a hydration mismatch, for example caused by a browser extension, React has rendered the page again.
      onRecoverableError: (error) => printError(error),
    });
  });
}

const root = document.getElementById('root');
if (root !== null) void render(root);
