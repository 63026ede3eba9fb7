import type { VotesByHour } from '#shared/polls/schema.ts';
import { DAY_MS, HOUR_MS } from '#shared/time.ts';

const COLUMNS_MAX = 24;
/** If the chart has more hours than this, its columns are days. */
const HOURS_MAX = 2 * COLUMNS_MAX;

/** The votes of a span that begins at `startMs` (milliseconds since 1970). */
export type VoteColumn = { startMs: number; option1: number; option2: number };
type VoteColumns = { unit: 'hour' | 'day'; columns: VoteColumn[] };

function startOfDay(ms: number, daysLater = 0): number {
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime();
}

const UNITS = {
  hour: {
    indexOf: (ms: number, fromMs: number) => Math.floor(ms / HOUR_MS) - Math.floor(fromMs / HOUR_MS),
    startOf: (index: number, fromMs: number) => (Math.floor(fromMs / HOUR_MS) + index) * HOUR_MS,
  },
  day: {
    // Rounded: a day may have 23 or 25 hours.
    indexOf: (ms: number, fromMs: number) => Math.round((startOfDay(ms) - startOfDay(fromMs)) / DAY_MS),
    startOf: (index: number, fromMs: number) => startOfDay(fromMs, index),
  },
} as const;

/**
 * The votes from `fromMs` to `untilMs` (milliseconds since 1970) in at most 24 columns of equal span: one or two hours or, if
 * that would not be enough, one or two days in the device's time zone.
 */
export function voteColumns(
  hours: VotesByHour['hours'],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): VoteColumns {
  const unit = UNITS.hour.indexOf(untilMs, fromMs) < HOURS_MAX ? 'hour' : 'day';
  const { indexOf, startOf } = UNITS[unit];
  const lastIndex = Math.max(0, indexOf(untilMs, fromMs));
  const unitsPerColumn = Math.ceil((lastIndex + 1) / COLUMNS_MAX);
  const columns = Array.from({ length: Math.floor(lastIndex / unitsPerColumn) + 1 }, (_, index) => ({
    startMs: startOf(index * unitsPerColumn, fromMs),
    option1: 0,
    option2: 0,
  }));
  for (const { hour, option1, option2 } of hours) {
    const index = Math.floor(indexOf(Date.parse(hour), fromMs) / unitsPerColumn);
    const column = columns[Math.min(columns.length - 1, Math.max(0, index))];
    if (column === undefined) continue;
    column.option1 += option1;
    column.option2 += option2;
  }
  return { unit, columns };
}
