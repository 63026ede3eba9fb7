import { CloudOff } from 'lucide-react';
import { useOnline } from '#app/lib/engine/online.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Coin, Icon } from '#app/ui/icon.tsx';

type Props = {
  cost: number;
  spendable: number;
  isDisabled: boolean;
  submitLabel: string;
  onCancel(): void;
};

/** The cost, a note while offline, and the buttons. */
export function CreatePollFooter({ cost, spendable, isDisabled, submitLabel, onCancel }: Props) {
  const online = useOnline();
  return (
    <footer className="grid gap-2.5 border-base-300 border-t px-4 pt-2.5 pb-[calc(0.75rem+env(safe-area-inset-bottom))] md:col-start-2 md:self-end md:border-0 md:px-0 md:pt-0 md:pb-0">
      {!online && (
        <div className="flex gap-3 rounded-control bg-base-200 p-3">
          <Icon icon={CloudOff} />
          <p className="text-body">
            <b className="font-bold">You are offline.</b> Your poll will be posted when you are back online.
            Points are taken then.
          </p>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-2 text-body">
        <Coin size={16} />
        <span className="font-bold font-display text-label">Costs {cost} points</span>
        <span className="ml-auto text-muted">
          {spendable >= cost ? `${spendable - cost} left after this` : `You have ${spendable}`}
        </span>
      </div>
      <div className="flex gap-2">
        <SecondaryButton onClick={onCancel} className="min-h-12 max-md:hidden">
          Cancel
        </SecondaryButton>
        <PrimaryButton type="submit" disabled={isDisabled} className="flex-1">
          {submitLabel}
        </PrimaryButton>
      </div>
    </footer>
  );
}
