import './index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { startEngine } from '#app/lib/engine.ts';
import { watchFaults } from '#app/lib/faults.ts';
import { registerServiceWorker } from '#app/lib/service-worker.ts';
import { followTheme } from '#app/lib/theme.ts';
import { FaultGuard } from './layouts/fault-guard.tsx';
import { PageViews } from './layouts/page-views.tsx';
import { AppRoutes } from './router.tsx';

history.scrollRestoration = 'manual';
watchFaults();
followTheme();
startEngine();
registerServiceWorker();

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
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
