import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { numberLabel, utcDayLabel } from '#app/features/admin/lib/labels.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { Overview } from '#shared/admin/schema.ts';

type Props = { title: string; days: readonly { day: string; count: number }[] };

// Lengths in the chart, which is scaled to the width of its card.
const WIDTH = 560;
const HEIGHT = 132;
const GAP = 9;
const CORNER_RADIUS = 6;
/** The bar of a day with a count of 0 is still visible. */
const BAR_HEIGHT_MIN = 3;

/** One bar for each day, today's highlighted. The exact numbers are in `DayTable`. */
export function DayChart({ title, days }: Props) {
  const id = useId();
  const max = Math.max(0, ...days.map(({ count }) => count));
  const barWidth = (WIDTH + GAP) / Math.max(1, days.length) - GAP;
  const today = days.at(-1);
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure aria-labelledby={id} className="min-w-0 card p-4">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 id={id} className="text-question">
          {title}
        </h2>
        <span className="text-muted text-small">{days.length} days</span>
      </figcaption>
      <p aria-hidden="true" className="figures pt-2 pb-1 text-right font-bold text-small">
        {numberLabel(today?.count ?? 0)}
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${numberLabel(total)} in ${days.length} days, at most ${numberLabel(max)}, ${numberLabel(today?.count ?? 0)} today`}
        className="w-full overflow-visible"
      >
        {[0, HEIGHT / 2].map((y) => (
          <line key={y} x1={0} x2={WIDTH} y1={y} y2={y} className="stroke-base-300" />
        ))}
        {days.map(({ day, count }, index) => {
          const barHeight = Math.max(BAR_HEIGHT_MIN, (count / Math.max(1, max)) * HEIGHT);
          const isToday = index === days.length - 1;
          return (
            <rect
              key={day}
              x={index * (barWidth + GAP)}
              y={HEIGHT - barHeight}
              width={barWidth}
              height={barHeight}
              rx={Math.min(CORNER_RADIUS, barHeight / 2)}
              className={isToday ? 'fill-primary stroke-2 stroke-primary-edge' : 'fill-neutral'}
            />
          );
        })}
      </svg>
      <p aria-hidden="true" className="flex justify-between pt-2 font-semibold text-small">
        <span className="text-muted">{days[0] && utcDayLabel(days[0].day)}</span>
        <span>today</span>
      </p>
    </figure>
  );
}

const CELL_CLASSES = 'py-1.5 text-right figures';

export function DayTable({ days }: Pick<Overview, 'days'>) {
  return (
    <details className="group card px-4 md:col-span-2">
      <summary className="flex min-h-12 cursor-pointer list-none items-center font-semibold text-body">
        <span className="flex-1">Show as a table</span>
        <Icon icon={ChevronDown} className="group-open:rotate-180" />
      </summary>
      <table className="mb-3 w-full text-body">
        <caption className="sr-only">Votes and sign-ups per day</caption>
        <thead>
          <tr className="text-muted text-small">
            {['Day', 'Votes', 'Sign-ups'].map((name) => (
              <th key={name} scope="col" className="text-right font-semibold first:text-left">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, votes, signUps }) => (
            <tr key={day} className="border-base-300 border-t">
              <th scope="row" className="py-1.5 text-left font-normal">
                {utcDayLabel(day)}
              </th>
              <td className={CELL_CLASSES}>{numberLabel(votes)}</td>
              <td className={CELL_CLASSES}>{numberLabel(signUps)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
