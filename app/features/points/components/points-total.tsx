import { usePoints } from '#app/features/points/queries.ts';
import { POINTS_PILL, PointsFigures } from './points-figures.tsx';

/** "128 points", in a badge that stands beside a name. */
export function PointsTotal() {
  const points = usePoints();
  const unit = points?.confirmed === 1 ? ' point' : ' points';
  return (
    <p className={`${POINTS_PILL} w-fit`}>
      <PointsFigures points={points} unit={unit} />
    </p>
  );
}
