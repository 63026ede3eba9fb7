import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { v4 as uuidv4 } from 'uuid';
import { mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Coin, Icon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { OnlineButtons } from '#app/ui/online.tsx';

type Props = {
  title: string;
  children: ReactNode;
  /** The points that come back. */
  refund: number;
  confirm: { icon: LucideIcon; label: string };
  cancelLabel: string;
  /** Said after an error that does not show whether the call took effect. */
  unclearHint: string;
  offlineText: string;
  /** Errors are shown in the dialog. `key` is the idempotency key, the same for each attempt: a retry does not refund twice. */
  onConfirm(userId: number, key: string): Promise<void>;
  onClose(): void;
};

/** Asks makers for confirmation before something is done to their poll. Closes when it is done. */
export function MakerDialog(props: Props) {
  const { title, children, refund, confirm, cancelLabel, unclearHint, offlineText, onConfirm, onClose } =
    props;
  const user = useUser();
  const points = usePoints();
  const [key] = useState(() => uuidv4());
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  if (user === null) return null;

  function dismiss() {
    if (!isBusy) onClose();
  }

  async function run(userId: number) {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await onConfirm(userId, key);
      onClose();
    } catch (failure) {
      setError(errorMessage(failure) + (mayHaveTakenEffect(failure) ? ` ${unclearHint}` : ''));
      setBusy(false);
    }
  }

  return (
    <SheetDialog title={title} onClose={dismiss}>
      <p className="text-body text-muted">{children}</p>
      {refund > 0 && (
        <p className="flex min-h-12 flex-wrap items-center gap-x-2.5 rounded-control bg-base-300 px-3.5 py-2 text-body">
          <Coin />
          <b className="flex-1 font-bold">{`${countLabel(refund, 'point')} come${refund === 1 ? 's' : ''} back`}</b>
          {points && <span className="figures text-muted">You will have {points.confirmed + refund}</span>}
        </p>
      )}
      {error !== null && <FormError>{error}</FormError>}
      <OnlineButtons offline={offlineText}>
        <PrimaryButton aria-disabled={isBusy} className="mt-1 min-h-12" onClick={() => void run(user.id)}>
          <Icon icon={confirm.icon} /> {isBusy ? 'One moment…' : confirm.label}
        </PrimaryButton>
      </OnlineButtons>
      <SecondaryButton data-first-focus="" className="min-h-12" aria-disabled={isBusy} onClick={dismiss}>
        {cancelLabel}
      </SecondaryButton>
    </SheetDialog>
  );
}

/** The text of a toast about `refunded` points; null for none. */
export function refundText(refunded: number): string | null {
  return refunded === 0 ? null : `${countLabel(refunded, 'point')} ${refunded === 1 ? 'is' : 'are'} back.`;
}
