import { type ComponentProps, lazy } from 'react';
import { LazyDialog } from '#app/ui/lazy-dialog.tsx';

const ForgotPasswordDialog = lazy(() => import('./forgot-password-dialog.tsx'));

type Props = ComponentProps<typeof ForgotPasswordDialog> & { isOpen: boolean };

export function ForgotPassword({ initialLogin, isOpen, onClose }: Props) {
  if (!isOpen) return null;
  return (
    <LazyDialog onClose={onClose}>
      <ForgotPasswordDialog initialLogin={initialLogin} onClose={onClose} />
    </LazyDialog>
  );
}
