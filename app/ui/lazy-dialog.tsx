import type { ReactNode } from 'react';
import { showToast } from '#app/lib/toasts.ts';
import { LazyBoundary } from './lazy-boundary.tsx';

/** For a lazily loaded dialog or menu that the user has opened: if it cannot be loaded, it is closed and a toast says so. */
export function LazyDialog({ onClose, children }: { onClose(): void; children: ReactNode }) {
  function onError() {
    onClose();
    showToast('error', 'This could not be loaded', 'Check your connection and reload the page.');
  }
  return <LazyBoundary onError={onError}>{children}</LazyBoundary>;
}
