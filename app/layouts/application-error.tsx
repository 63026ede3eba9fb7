import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { countLabel } from '#app/lib/count-label.ts';
import { reloadOnce } from '#app/lib/faults/faults.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';

const COUNTDOWN_S = 10;

type Props = {
  /** Whether the page is reloaded after a countdown. */
  isCountingDown: boolean;
  onTryAgain(): void;
};

/** Covers the whole app after a fault. */
export default function ApplicationError({ isCountingDown, onTryAgain }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const seconds = useReloadCountdown(isCountingDown);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="application-error"
      onCancel={(event) => event.preventDefault()}
      // Browsers close a dialog at a repeated Escape even if the page prevents it.
      onClose={(event) => event.currentTarget.showModal()}
      className="h-dvh w-full overflow-y-auto bg-base-200 px-6 text-base-content"
    >
      <div className="mx-auto grid min-h-full max-w-72 content-start gap-3 py-[12dvh] text-center">
        <div className="pair pair-ground-page pair-broken" aria-hidden="true">
          {[1, 2].map((option) => (
            <div
              key={option}
              className="pair-half grid place-items-center bg-base-100 shadow-card"
              data-option={option}
            >
              <X size={84} strokeWidth={4.5} />
            </div>
          ))}
          <span className="pair-or figures">{isCountingDown ? seconds : '!'}</span>
        </div>
        <h1 id="application-error" className="pt-6 text-[1.5rem] leading-[1.75rem]">
          Application Error
        </h1>
        <p className="pb-2 text-field text-muted">
          Something broke. {isCountingDown && `The app reloads in ${countLabel(seconds, 'second')}. `}
          Your votes and drafts are safe.
        </p>
        <PrimaryButton onClick={() => location.reload()}>Reload Now</PrimaryButton>
        <SecondaryButton className="min-h-12 font-bold font-display text-label" onClick={onTryAgain}>
          Try Again
        </SecondaryButton>
      </div>
    </dialog>
  );
}

/** The seconds until the page is reloaded, which this hook does. Without `isCountingDown` they do not change. */
function useReloadCountdown(isCountingDown: boolean): number {
  const [seconds, setSeconds] = useState(COUNTDOWN_S);
  useEffect(() => {
    if (!isCountingDown) return;
    if (seconds === 0) return reloadOnce();
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000);
    return () => clearTimeout(timer);
  }, [isCountingDown, seconds]);
  return seconds;
}
