import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { QuietButton } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/modal.tsx';

type Props = {
  title: string;
  action: string;
  /** Says it while it is being done. */
  doing: string;
  onConfirm(): Promise<void>;
  onClose(): void;
  children: ReactNode;
};

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, action, doing, onConfirm, onClose, children }: Props) {
  const id = useId();
  const { mutate: confirm, isPending: isDoing } = useMutation({ mutationFn: onConfirm, onSettled: onClose });

  function close() {
    if (!isDoing) onClose();
  }

  const look = isDoing ? 'opacity-60' : '';
  return (
    <Modal
      labelledBy={id}
      onClose={close}
      className="w-full rounded-t-card max-md:mb-0 md:w-[26rem] md:rounded-card"
    >
      <div className="grid gap-2 p-5 pb-[calc(1.25rem+env(safe-area-inset-bottom))]">
        <h2 id={id} className="wrap-anywhere text-title">
          {title}
        </h2>
        <div className="pb-2 text-field text-muted">{children}</div>
        {/* A disabled button would lose the focus. */}
        <QuietButton className={`min-h-12 ${look}`} onClick={close} aria-disabled={isDoing}>
          Keep
        </QuietButton>
        <QuietButton
          ghost
          className={`min-h-12 text-error ${look}`}
          onClick={() => isDoing || confirm()}
          aria-disabled={isDoing}
        >
          {isDoing ? doing : action}
        </QuietButton>
      </div>
    </Modal>
  );
}
