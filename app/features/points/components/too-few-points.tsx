import { usePoints } from '#app/lib/engine/user-query.ts';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';

/** Says what a poll costs; shown only to users with too few points for a poll. */
export function TooFewPoints({ className = '' }: { className?: string }) {
  const points = usePoints();
  if (points === null || points.spendable >= CREATE_POLL_POINTS_MIN) return null;
  return (
    <p className={`text-small ${className}`}>
      A poll costs at least {CREATE_POLL_POINTS_MIN} points. Vote to earn them.
    </p>
  );
}
