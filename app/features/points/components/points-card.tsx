import { Clock } from 'lucide-react';
import { useIsPendingShown } from '#app/features/points/hooks/use-is-pending-shown.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { pendingLine } from '#app/lib/points-labels.ts';
import { paths } from '#app/paths.ts';
import { BigCoin } from '#app/ui/big-coin.tsx';
import { PrimaryButton, PrimaryLink } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';
import { TooFewPoints } from './too-few-points.tsx';

/** Balances above this have a smaller font, to fit on the smallest phone. */
const LARGE_FONT_POINTS_MAX = 99_999;

export function PointsCard() {
  const points = usePoints();
  const isPendingShown = useIsPendingShown(points);
  const canCreate = points !== null && points.spendable >= CREATE_POLL_POINTS_MIN;
  const isLong = points !== null && points.confirmed > LARGE_FONT_POINTS_MAX;
  return (
    <section
      aria-label="Balance"
      className="relative grid overflow-hidden rounded-card bg-primary p-5 text-primary-content"
    >
      <BigCoin />
      <h2 className="relative font-sans font-semibold text-field">Your points</h2>
      <p
        className={`figures relative grid h-[4.75rem] items-center font-extrabold leading-none ${isLong ? 'text-[2.75rem]' : 'text-[4.75rem]'}`}
      >
        {points?.confirmed ?? ''}
      </p>
      <p
        aria-live="polite"
        className="relative flex mb-2 min-h-7 items-center gap-2 py-1 font-semibold text-body"
      >
        {points !== null && isPendingShown && (
          <>
            <Icon icon={Clock} />
            {pendingLine(points)}
          </>
        )}
      </p>
      {canCreate ? (
        <PrimaryLink to={paths.home.href({ create: '' })} className="btn-inverse">
          Create a Poll
        </PrimaryLink>
      ) : (
        <PrimaryButton disabled className="btn-inverse">
          Create a Poll
        </PrimaryButton>
      )}
      <TooFewPoints className="relative pt-2 text-center" />
    </section>
  );
}
