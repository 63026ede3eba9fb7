import { type ComponentProps, lazy } from 'react';
import { showToast } from '#app/lib/toasts.ts';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';

const ForgotPasswordDialog = lazy(() => import('./forgot-password-dialog.tsx'));

type Props = ComponentProps<typeof ForgotPasswordDialog> & { isOpen: boolean };

export function ForgotPassword({ initialLogin, isOpen, onClose }: Props) {
  function onLoadError() {
    onClose();
    showToast('error', 'The dialog could not be loaded', 'Check your connection and reload the page.', {
      topic: 'auth',
    });
  }
  if (!isOpen) return null;
  return (
    <LazyBoundary onError={onLoadError}>
      <ForgotPasswordDialog initialLogin={initialLogin} onClose={onClose} />
    </LazyBoundary>
  );
}
