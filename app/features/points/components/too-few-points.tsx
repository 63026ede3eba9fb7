import { usePoints } from '#app/features/points/queries.ts';
import { CREATE_POLL_MIN_POINTS } from '#shared/polls/constants.ts';

/** Why Create Poll cannot be pressed; nothing while it can. */
export function TooFewPoints({ className = '' }: { className?: string }) {
  const points = usePoints();
  if (points === null || points.spendable >= CREATE_POLL_MIN_POINTS) return null;
  return (
    <p className={`text-small ${className}`}>
      {CREATE_POLL_MIN_POINTS} points make a poll. Vote to earn them.
    </p>
  );
}
