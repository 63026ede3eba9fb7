import { Clock } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { usePoints } from '#app/features/points/queries.ts';
import { prefersReducedMotion } from '#app/lib/media.ts';
import { useOnline } from '#app/lib/online.ts';
import { Coin } from '#app/ui/coin.tsx';
import { Icon } from '#app/ui/icon.tsx';

/** What is sent within this time never shows as pending: the badge keeps its width. */
const PENDING_AFTER_MS = 1_000;

const POP = { transform: ['scale(1)', 'scale(1.08)', 'scale(1)'] };

/** The confirmed points, and beside them what waiting changes will add and take. */
export function PointsBadge() {
  const points = usePoints();
  const isPending = points !== null && points.pendingEarned + points.pendingSpent > 0;
  const showsPending = useLasting(isPending);
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
    <output
      ref={badge}
      data-points-badge=""
      aria-label={spoken(points)}
      className="flex h-9 items-center gap-2 rounded-full bg-base-300 pr-3.5 pl-2.5"
    >
      <Coin />
      <span className="figures min-w-[1.25ch] font-bold text-[1.0625rem]">{confirmed ?? ''}</span>
      {points !== null && showsPending && (
        <span className="figures flex items-center gap-1 font-semibold text-muted text-small">
          <Icon of={Clock} size={16} />
          {points.pendingEarned > 0 && <span>+{points.pendingEarned}</span>}
          {points.pendingSpent > 0 && <span>−{points.pendingSpent}</span>}
        </span>
      )}
    </output>
  );
}

/** True once `isPending` has held for a while, at once without a network. */
function useLasting(isPending: boolean): boolean {
  const [hasLasted, setLasted] = useState(false);
  const online = useOnline();
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setLasted(true), PENDING_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setLasted(false);
    };
  }, [isPending]);
  return isPending && (hasLasted || !online);
}

function spoken(points: ReturnType<typeof usePoints>): string {
  if (points === null) return 'Points';
  const waiting = [
    points.pendingEarned > 0 ? `${points.pendingEarned} more` : '',
    points.pendingSpent > 0 ? `${points.pendingSpent} less` : '',
  ].filter((words) => words !== '');
  const pending = waiting.length === 0 ? '' : `, ${waiting.join(' and ')} once everything is sent`;
  return `${points.confirmed} points${pending}`;
}
