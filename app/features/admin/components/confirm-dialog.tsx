import { type ReactNode, useId, useState } from 'react';
import { Modal } from '#app/ui/modal.tsx';
import { QuietButton } from '#app/ui/quiet-button.tsx';

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
  const [isDoing, setDoing] = useState(false);

  async function confirm() {
    setDoing(true);
    await onConfirm();
    onClose();
  }

  return (
    <Modal
      labelledBy={id}
      onClose={onClose}
      className="w-full rounded-t-card max-md:mb-0 md:w-[26rem] md:rounded-card"
    >
      <div className="grid gap-2 p-5 pb-[calc(1.25rem+env(safe-area-inset-bottom))]">
        <h2 id={id} className="wrap-anywhere text-title">
          {title}
        </h2>
        <div className="pb-2 text-field text-muted">{children}</div>
        <QuietButton className="min-h-12" onClick={onClose} disabled={isDoing}>
          Keep
        </QuietButton>
        <QuietButton ghost className="min-h-12 text-error" disabled={isDoing} onClick={() => void confirm()}>
          {isDoing ? doing : action}
        </QuietButton>
      </div>
    </Modal>
  );
}
