import { countLabel } from '#app/lib/count-label.ts';
import { DAY_MS } from '#shared/polls/constants.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** "2 days", "1 hour": a span in milliseconds in its largest unit, rounded, never less than a minute. */
export function spanLabel(spanMs: number): string {
  const minutes = Math.max(1, Math.round(spanMs / MINUTE_MS));
  if (minutes < 60) return countLabel(minutes, 'minute');
  const hours = Math.round(spanMs / HOUR_MS);
  if (hours < 24) return countLabel(hours, 'hour');
  return countLabel(Math.round(spanMs / DAY_MS), 'day');
}

/** "8 hours left" until `closesAt` (ISO 8601), seen from `nowMs`. */
export function timeLeft(closesAt: string, nowMs: number): string {
  return `${spanLabel(Date.parse(closesAt) - nowMs)} left`;
}

const DAY_AND_MONTH = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** "19 Nov", in the device's time zone. */
export function dayLabel(date: string): string {
  return DAY_AND_MONTH.format(new Date(date));
}
