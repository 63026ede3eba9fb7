import { lazy } from 'react';
import { showToast } from '#app/lib/toasts.ts';
import { Optional } from '#app/ui/optional.tsx';

const ForgotPasswordDialog = lazy(() => import('./forgot-password-dialog.tsx'));

type Props = {
  /** What was typed as the login: it may be the email. */
  typed: string;
  isOpen: boolean;
  onClose(): void;
};

/** The dialog for a reset link, in place on any screen; if it cannot be loaded, that is said. */
export function ForgotPassword({ typed, isOpen, onClose }: Props) {
  function lose() {
    onClose();
    showToast('bad', 'That could not be loaded', 'Check your connection and reload the page.', 'auth');
  }
  if (!isOpen) return null;
  return (
    <Optional onLost={lose}>
      <ForgotPasswordDialog typed={typed} onClose={onClose} />
    </Optional>
  );
}
