import { useEffect, useRef } from 'react';
import { pointsLabel } from '#app/features/points/lib/points-labels.ts';
import { usePoints } from '#app/features/points/queries.ts';
import { prefersReducedMotion } from '#app/lib/media.ts';
import { POINTS_PILL, PointsFigures } from './points-figures.tsx';

const POP = { transform: ['scale(1)', 'scale(1.08)', 'scale(1)'] };

/** The points in the header, where the animated +1 ends. No narrower than what stands there while it loads. */
export function PointsBadge() {
  const points = usePoints();
  const badge = useRef<HTMLOutputElement>(null);
  const confirmed = points?.confirmed ?? null;
  const previous = useRef(confirmed);

  useEffect(() => {
    const before = previous.current;
    previous.current = confirmed;
    if (before === null || confirmed === null || before === confirmed || prefersReducedMotion()) return;
    badge.current?.animate(POP, { duration: 180, easing: 'cubic-bezier(0.2, 1.3, 0.4, 1)' });
  }, [confirmed]);

  return (
    <output
      ref={badge}
      data-points-badge=""
      aria-label={pointsLabel(points)}
      className={`${POINTS_PILL} min-w-[4.75rem]`}
    >
      <PointsFigures points={points} />
    </output>
  );
}
