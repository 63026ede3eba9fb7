import './index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { claimTab } from '#app/lib/drafts/own-tab.ts';
import { startEngine } from '#app/lib/engine/engine.ts';
import { watchFaults } from '#app/lib/faults/faults.ts';
import { watchOldBuild } from '#app/lib/faults/old-build.ts';
import { followTheme } from '#app/lib/theme.ts';
import { registerServiceWorker } from '#app/lib/updates/service-worker.ts';
import { FaultGuard } from './layouts/fault-guard.tsx';
import { PageViews } from './layouts/page-views.tsx';
import { AppRoutes } from './router.tsx';

history.scrollRestoration = 'manual';
// What a boundary has caught is printed past the watch: the rest of the app goes on.
const { error: print } = console;
watchFaults();
watchOldBuild();
claimTab();
followTheme();
startEngine();
registerServiceWorker();

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root, { onCaughtError: (error) => print(error) }).render(
    <StrictMode>
      <FaultGuard>
        <BrowserRouter>
          <AppRoutes />
          <PageViews />
        </BrowserRouter>
      </FaultGuard>
    </StrictMode>,
  );
}
