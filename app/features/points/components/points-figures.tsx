import { Clock } from 'lucide-react';
import { Coin, Icon } from '#app/ui/icon.tsx';
import type { PointsView } from '#sync/client/outbox/overlay.ts';
import { pendingFigures } from './points-words.ts';
import { useShowsPending } from './use-shows-pending.ts';

export const POINTS_PILL = 'flex min-h-9 items-center gap-2 rounded-full bg-base-300 pr-3.5 pl-2.5';

/** Inside of a badge: the coin, the confirmed points and, beside them, what waits. */
export function PointsFigures({ points, unit = '' }: { points: PointsView | null; unit?: string }) {
  const showsPending = useShowsPending(points);
  return (
    <>
      <Coin />
      <span className="figures min-w-[1.25ch] font-bold text-[1.0625rem]">
        {points?.confirmed ?? ''}
        {unit}
      </span>
      {points !== null && showsPending && (
        <span className="figures flex items-center gap-1 font-semibold text-muted text-small">
          <Icon of={Clock} size={16} />
          {pendingFigures(points).map((figure) => (
            <span key={figure}>{figure}</span>
          ))}
        </span>
      )}
    </>
  );
}
