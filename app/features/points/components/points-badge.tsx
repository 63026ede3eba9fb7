import { Clock } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useIsPendingShown } from '#app/features/points/hooks/use-is-pending-shown.ts';
import { prefersReducedMotion } from '#app/lib/browser/media.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { pendingAmounts, pointsLabel } from '#app/lib/points-labels.ts';
import { Coin, Icon } from '#app/ui/icon.tsx';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

const POP_KEYFRAMES = { transform: ['scale(1)', 'scale(1.08)', 'scale(1)'] };

/**
 * The points in the header, to which the animated +1 flies. At least as wide as the fallback that the header shows until this
 * chunk has loaded.
 */
export function PointsBadge() {
  const points = usePoints();
  const badge = useRef<HTMLOutputElement>(null);
  const confirmed = points?.confirmed ?? null;
  const previous = useRef(confirmed);

  useEffect(() => {
    const previousPoints = previous.current;
    previous.current = confirmed;
    if (previousPoints === null || confirmed === null || previousPoints === confirmed) return;
    if (prefersReducedMotion()) return;
    badge.current?.animate(POP_KEYFRAMES, { duration: 180, easing: 'cubic-bezier(0.2, 1.3, 0.4, 1)' });
  }, [confirmed]);

  return (
    <output
      ref={badge}
      data-points-badge=""
      aria-label={pointsLabel(points)}
      className={`${POINTS_PILL_CLASSES} min-w-[4.75rem]`}
    >
      <PointsContent points={points} />
    </output>
  );
}

const POINTS_PILL_CLASSES =
  'flex min-h-9 items-center gap-2 rounded-full bg-base-300 pr-3.5 pl-2.5 max-xs:gap-1.5 max-xs:pr-2.5 max-xs:pl-1.5';

/** The content of a badge: a coin, the confirmed points and the pending points. */
function PointsContent({ points, unit = '' }: { points: PointsView | null; unit?: string }) {
  const isPendingShown = useIsPendingShown(points);
  const amounts = points === null ? [] : pendingAmounts(points);
  const hasTwoAmounts = amounts.length > 1;
  return (
    <>
      <Coin />
      <span className="figures min-w-[1.25ch] font-bold text-[1.0625rem]">
        {points?.confirmed ?? ''}
        {unit}
      </span>
      {isPendingShown && (
        <span className="figures flex items-center gap-1 font-semibold text-muted text-small">
          {/* Two amounts are stacked, and on a narrow screen there is no clock: otherwise the header would wrap. */}
          <span className={hasTwoAmounts ? 'max-md:hidden' : 'max-[26rem]:hidden'}>
            <Icon icon={Clock} size={16} />
          </span>
          <span
            data-two-amounts={hasTwoAmounts ? '' : undefined}
            className={hasTwoAmounts ? 'grid text-[0.75rem] leading-tight' : undefined}
          >
            {amounts.map((amount) => (
              <span key={amount}>{amount}</span>
            ))}
          </span>
        </span>
      )}
    </>
  );
}

/** The points in words, such as "128 points", in a badge. */
export function PointsTotal() {
  const points = usePoints();
  const unit = points?.confirmed === 1 ? ' point' : ' points';
  return (
    <p className={`${POINTS_PILL_CLASSES} w-fit`}>
      <PointsContent points={points} unit={unit} />
    </p>
  );
}
