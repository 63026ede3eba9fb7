import './index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { AppErrorBoundary } from '#app/layouts/error-boundaries.tsx';
import { claimTab } from '#app/lib/drafts/tab-id.ts';
import { startEngine } from '#app/lib/engine/engine.ts';
import { watchForFaults } from '#app/lib/faults/faults.ts';
import { watchForOldBuild } from '#app/lib/faults/old-build.ts';
import { initTheme } from '#app/lib/theme.ts';
import { registerServiceWorker } from '#app/lib/updates/service-worker.ts';
import { AppRoutes } from './router.tsx';

history.scrollRestoration = 'manual';
// Errors caught by a boundary bypass the fault watcher: the rest of the app still works.
const { error: print } = console;
watchForFaults();
watchForOldBuild();
claimTab();
initTheme();
startEngine();
registerServiceWorker();

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root, { onCaughtError: (error) => print(error) }).render(
    <StrictMode>
      <AppErrorBoundary>
        <BrowserRouter>
          <AppRoutes />
        </BrowserRouter>
      </AppErrorBoundary>
    </StrictMode>,
  );
}
