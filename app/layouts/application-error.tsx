import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { reloadByItself } from '#app/lib/faults/faults.ts';
import { Key, QuietButton } from '#app/ui/button.tsx';

const COUNTDOWN_S = 10;

type Props = {
  /** Counts down and reloads; otherwise it is left to the person. */
  isCounting: boolean;
  onTryAgain(): void;
};

/** The whole screen, above everything: the app is broken. */
export default function ApplicationError({ isCounting, onTryAgain }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const seconds = useCountdown(isCounting);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="application-error"
      onCancel={(event) => event.preventDefault()}
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
          <span className="pair-or figures">{isCounting ? seconds : '!'}</span>
        </div>
        <h1 id="application-error" className="pt-6 text-[1.5rem] leading-[1.75rem]">
          Application Error
        </h1>
        <p className="pb-2 text-field text-muted">
          Something broke. {isCounting && <Countdown seconds={seconds} />}Your votes and drafts are safe.
        </p>
        <Key onClick={() => location.reload()}>Reload Now</Key>
        <QuietButton className="min-h-12 font-bold font-display text-key" onClick={onTryAgain}>
          Try Again
        </QuietButton>
      </div>
    </dialog>
  );
}

function Countdown({ seconds }: { seconds: number }) {
  return (
    <>
      The app reloads in {seconds} {seconds === 1 ? 'second' : 'seconds'}.{' '}
    </>
  );
}

function useCountdown(isCounting: boolean): number {
  const [seconds, setSeconds] = useState(COUNTDOWN_S);
  useEffect(() => {
    if (!isCounting) return;
    if (seconds === 0) return reloadByItself();
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000);
    return () => clearTimeout(timer);
  }, [isCounting, seconds]);
  return seconds;
}
