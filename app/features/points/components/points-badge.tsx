import { useEffect, useRef } from 'react';
import { usePoints } from '#app/features/points/queries.ts';
import { prefersReducedMotion } from '#app/lib/media.ts';
import { POINTS_PILL, PointsFigures } from './points-figures.tsx';
import { spokenPoints } from './points-words.ts';

const POP = { transform: ['scale(1)', 'scale(1.08)', 'scale(1)'] };

/** The header's points; where the flying +1 lands. */
export function PointsBadge() {
  const points = usePoints();
  const badge = useRef<HTMLOutputElement>(null);
  const confirmed = points?.confirmed ?? null;
  const shown = useRef(confirmed);

  useEffect(() => {
    const before = shown.current;
    shown.current = confirmed;
    if (before === null || confirmed === null || before === confirmed || prefersReducedMotion()) return;
    badge.current?.animate(POP, { duration: 180, easing: 'cubic-bezier(0.2, 1.3, 0.4, 1)' });
  }, [confirmed]);

  return (
    <output ref={badge} data-points-badge="" aria-label={spokenPoints(points)} className={POINTS_PILL}>
      <PointsFigures points={points} />
    </output>
  );
}
