import { ChevronRight, Clock, Compass } from 'lucide-react';
import { useEffect } from 'react';
import { focusMain } from '#app/lib/navigation/focus-main.ts';
import { endWarmUp } from '#app/lib/warm-up.ts';
import { BigCoin } from '#app/ui/big-coin.tsx';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { MissingPollPair } from '#app/ui/feedback/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { SIGNUP_BONUS_POINTS } from '#shared/points/constants.ts';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';

const IDEAS = [
  { question: 'Which one should I wear?', text: 'Two outfits, one evening' },
  { question: 'Which colour for the wall?', text: 'Two patches of paint' },
  { question: 'Which picture of me?', text: 'Two photos, one profile' },
];

type Props = {
  /** The confirmed points; null while they are read. */
  points: number | null;
  /** The label of the pending points; null when there are none. */
  pending: string | null;
  canCreate: boolean;
  /** Opens the form of a new poll, empty or with this question. */
  onCreate(question?: string): void;
};

/** Shown after the first votes of a new account: suggests creating a first poll, with ideas for it. */
export default function FirstPollPrompt({ points, pending, canCreate, onCreate }: Props) {
  useEffect(() => {
    // The card that had the focus has been removed.
    if (document.activeElement === document.body) focusMain();
  }, []);
  function goBack() {
    endWarmUp();
    focusMain();
  }
  const earned = (points ?? 0) - SIGNUP_BONUS_POINTS;
  return (
    <div className="mx-auto grid w-full max-w-[35rem] gap-3 pt-2">
      <section
        aria-labelledby="warmed-up"
        className="relative grid overflow-hidden rounded-card bg-primary p-5 text-primary-content"
      >
        <BigCoin />
        <h2 id="warmed-up" className="relative font-sans font-semibold text-field">
          Warmed up
        </h2>
        <p className="figures relative h-[4.75rem] font-extrabold text-[4.75rem] leading-none">
          {points ?? ''}
        </p>
        <p
          aria-live="polite"
          className="relative flex items-center gap-2 pt-2 font-semibold text-body empty:absolute"
        >
          {pending !== null && (
            <>
              <Icon icon={Clock} />
              {pending}
            </>
          )}
        </p>
        <p className="py-3 font-semibold text-body">
          {SIGNUP_BONUS_POINTS} to start with{earned > 0 ? `, ${earned} earned` : ''}. A poll costs{' '}
          {CREATE_POLL_POINTS_MIN}.
        </p>
        <PrimaryButton className="btn-inverse" disabled={!canCreate} onClick={() => onCreate()}>
          Make your first poll
        </PrimaryButton>
      </section>
      <h2 className="px-1 pt-2 text-question">What could you ask?</h2>
      <ul className="grid divide-y divide-base-300 card px-2">
        {IDEAS.map(({ question, text }) => (
          <li key={question}>
            <button
              type="button"
              disabled={!canCreate}
              onClick={() => onCreate(question)}
              className="flex min-h-17 w-full cursor-pointer items-center gap-3 px-1 text-left"
            >
              <MissingPollPair />
              <span className="min-w-0 flex-1">
                <span className="block font-bold text-body">{question}</span>
                <span className="text-muted text-small">{text}</span>
              </span>
              <Icon icon={ChevronRight} />
            </button>
          </li>
        ))}
      </ul>
      <SecondaryButton ghost className="min-h-12 justify-self-center" onClick={goBack}>
        <Icon icon={Compass} /> Back to the deck
      </SecondaryButton>
    </div>
  );
}
