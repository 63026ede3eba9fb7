import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router-dom';
import { focusMain } from '#app/lib/navigation/focus-main.ts';
import { endWarmUp, useWarmUpVotes, WARM_UP_VOTES } from '#app/lib/warm-up.ts';
import { paths } from '#app/paths.ts';
import { Coin, Icon } from '#app/ui/icon.tsx';

/** By the number of votes so far. */
const LABELS = ['Three to warm up', 'Two to go', 'One to go', 'Warmed up'];

type Props = {
  /** Whether the deck is on the screen; elsewhere the label links to it. */
  isOnDeckScreen?: boolean;
};

/** Leads a new account through its first votes: shows how many are left, and a button to skip them. */
export function WarmUpStrip({ isOnDeckScreen = false }: Props) {
  const votes = useWarmUpVotes();
  if (votes === null) return null;
  const label = LABELS[votes];
  return (
    <section
      aria-label="First votes"
      data-warm-up=""
      className={`flex flex-wrap items-center gap-x-[min(0.75rem,2vw)] px-1 py-1 ${isOnDeckScreen ? 'mx-auto w-full max-w-[35rem]' : ''}`}
    >
      <p
        aria-live="polite"
        className="min-w-0 flex-1 whitespace-nowrap font-bold font-display text-[min(1rem,4.5vw)] leading-tight"
      >
        {isOnDeckScreen ? (
          label
        ) : (
          <Link to={paths.explore.href()} className="flex min-h-11 items-center gap-1">
            {label}
            <Icon icon={ChevronRight} size={16} className="max-[22rem]:hidden" />
          </Link>
        )}
      </p>
      <span className="flex gap-1" aria-hidden="true">
        {Array.from({ length: WARM_UP_VOTES }, (_, index) => (
          <span
            key={LABELS[index]}
            data-warm-up-coin={index < votes ? 'full' : 'empty'}
            className={`size-6.5 rounded-full ${index < votes ? '' : 'border-2 border-edge border-dashed'}`}
          >
            {index < votes && <Coin size={26} />}
          </span>
        ))}
      </span>
      <button
        type="button"
        onClick={() => {
          endWarmUp();
          focusMain();
        }}
        className="-mr-2 min-h-11 cursor-pointer px-2 text-[min(0.9375rem,4vw)] text-muted underline underline-offset-3"
      >
        Not now
      </button>
      <p className="basis-full pb-1 text-muted text-small">
        {votes === WARM_UP_VOTES
          ? 'Next: your first poll.'
          : 'Each vote earns a point towards your own poll.'}
      </p>
    </section>
  );
}
