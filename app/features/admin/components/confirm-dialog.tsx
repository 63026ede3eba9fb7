import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';

type Props = {
  title: string;
  confirmLabel: string;
  /** Replaces `confirmLabel` while `onConfirm` is running. */
  pendingLabel: string;
  onConfirm(): Promise<void>;
  onClose(): void;
  children: ReactNode;
};

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, confirmLabel, pendingLabel, onConfirm, onClose, children }: Props) {
  const { mutate: confirm, isPending } = useMutation({ mutationFn: onConfirm, onSettled: onClose });

  function close() {
    if (!isPending) onClose();
  }

  // `aria-disabled`, because a disabled button would lose the focus.
  const className = `min-h-12 ${isPending ? 'opacity-60' : ''}`;
  return (
    <SheetDialog title={title} onClose={close}>
      <div className="pb-2 text-field text-muted">{children}</div>
      <SecondaryButton className={className} onClick={close} aria-disabled={isPending}>
        Keep
      </SecondaryButton>
      <SecondaryButton
        ghost
        className={`${className} text-error`}
        onClick={() => isPending || confirm()}
        aria-disabled={isPending}
      >
        {isPending ? pendingLabel : confirmLabel}
      </SecondaryButton>
    </SheetDialog>
  );
}
