import type { ReactNode } from 'react';
import { isChunkLoadError } from '#app/lib/faults/chunk-load-error.ts';
import { showToast } from '#app/lib/toasts.ts';
import { LazyBoundary } from './lazy-boundary.tsx';

/** For a lazily loaded dialog or menu that the user has opened: after an error it is closed, and a toast says so. */
export function LazyDialog({ onClose, children }: { onClose(): void; children: ReactNode }) {
  function onError(error: unknown) {
    onClose();
    if (isChunkLoadError(error))
      showToast('error', 'This could not be loaded', 'Check your connection and reload the page.');
    else showToast('error', 'Something broke here', 'Your votes and drafts are safe. Reload the page.');
  }
  return <LazyBoundary onError={onError}>{children}</LazyBoundary>;
}
