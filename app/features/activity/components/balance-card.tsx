import { Clock } from 'lucide-react';
import { balanceLine } from '#app/features/activity/lib/balance-line.ts';
import { pendingAmounts } from '#app/lib/points-labels.ts';
import { dateLabel } from '#app/lib/time.ts';
import { Coin, Icon } from '#app/ui/icon.tsx';
import type { ActivityView } from '#sync/client/cache/reads.ts';

/** The size of the chart in the units of its `viewBox`; the margin has space for the circle at the end of the line. */
const WIDTH = 180;
const HEIGHT = 48;
const MARGIN = 7;

/** The balance, its chart for the last 30 days, and the points of changes that are waiting to be sent. */
export function BalanceCard({ view, nowMs }: { view: ActivityView; nowMs: number }) {
  const { points, entries } = view;
  if (points === null) return null;
  const balance = points.confirmed;
  const pending = pendingAmounts(points);
  const line = balanceLine(entries, { balance, nowMs });
  return (
    <section aria-label="Balance" className="grid gap-2 card p-4">
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div>
          <h2 className="font-sans font-semibold text-body text-muted">Balance</h2>
          <p className="figures flex items-center gap-2 font-extrabold text-[2.75rem] leading-none">
            <Coin size={28} />
            {balance}
          </p>
        </div>
        {line !== null && (
          <div className="min-w-0 max-w-80 flex-[1_1_9rem]">
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" className="w-full overflow-visible">
              <path
                d={steppedPath(line.points.map(svgPoint))}
                className="fill-none stroke-base-content"
                strokeWidth="2.5"
                strokeLinejoin="round"
                strokeLinecap="round"
              />
              <EndPoint position={svgPoint(line.points.at(-1) ?? { x: 1, y: 0.5 })} />
            </svg>
            <p className="flex justify-between gap-2 text-muted text-small">
              <span>
                {line.isFullPeriod ? '30 days ago' : dateLabel(new Date(line.fromMs).toISOString(), nowMs)}
              </span>
              <span className="font-semibold text-base-content">today</span>
            </p>
          </div>
        )}
      </div>
      {pending.length > 0 && (
        <p aria-live="polite" className="flex items-center gap-2 font-semibold text-body">
          <Icon icon={Clock} size={16} />
          {pending.join(' ')} waiting to sync
        </p>
      )}
    </section>
  );
}

/** Converts a point from 0..1 to the coordinates of the SVG, whose y axis points downwards. */
function svgPoint({ x, y }: { x: number; y: number }): [number, number] {
  const round = (value: number) => Math.round(value * 10) / 10;
  return [round(MARGIN + x * (WIDTH - 2 * MARGIN)), round(MARGIN + (1 - y) * (HEIGHT - 2 * MARGIN))];
}

/** From each point to the `x` of the next one, then to its `y`. */
function steppedPath(points: readonly [number, number][]): string {
  return points.map(([x, y], index) => (index === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
}

function EndPoint({ position: [x, y] }: { position: [number, number] }) {
  return <circle cx={x} cy={y} r="5" className="fill-primary stroke-primary-edge" strokeWidth="1.5" />;
}
