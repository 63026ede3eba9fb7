import { ChevronDown } from 'lucide-react';
import { numberLabel, utcDayLabel } from '#app/features/admin/lib/labels.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { Overview } from '#shared/admin/schema.ts';

const CELL = 'py-1.5 text-right figures';

/** The figures of the charts as a table. */
export function DayTable({ days }: Pick<Overview, 'days'>) {
  return (
    <details className="group card px-4 md:col-span-2">
      <summary className="flex min-h-12 cursor-pointer list-none items-center font-semibold text-body">
        <span className="flex-1">The figures as a table</span>
        <Icon icon={ChevronDown} className="group-open:rotate-180" />
      </summary>
      <table className="mb-3 w-full text-body">
        <caption className="sr-only">Votes and sign-ups a day</caption>
        <thead>
          <tr className="text-muted text-small">
            <th scope="col" className="text-left font-semibold">
              Day
            </th>
            <th scope="col" className="text-right font-semibold">
              Votes
            </th>
            <th scope="col" className="text-right font-semibold">
              Sign-ups
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, votes, signUps }) => (
            <tr key={day} className="border-base-300 border-t">
              <th scope="row" className="py-1.5 text-left font-normal">
                {utcDayLabel(day)}
              </th>
              <td className={CELL}>{numberLabel(votes)}</td>
              <td className={CELL}>{numberLabel(signUps)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
