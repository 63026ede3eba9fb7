import { countLabel } from '#app/lib/count-label.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/time.ts';

/** "2 days", "1 hour": a span in milliseconds in its largest unit, rounded, never less than a minute. */
export function durationLabel(spanMs: number): string {
  const minutes = Math.max(1, Math.round(spanMs / MINUTE_MS));
  if (minutes < 60) return countLabel(minutes, 'minute');
  const hours = Math.round(spanMs / HOUR_MS);
  if (hours < 24) return countLabel(hours, 'hour');
  return countLabel(Math.round(spanMs / DAY_MS), 'day');
}

/** "8 hours left" until `closesAt` (ISO 8601), counted from `nowMs`. */
export function timeLeftLabel(closesAt: string, nowMs: number): string {
  return `${durationLabel(Date.parse(closesAt) - nowMs)} left`;
}

/** Formats dates in the device's time zone. Creating the first format takes 70 ms on a phone, so it is created on demand. */
function dateFormat(options: Intl.DateTimeFormatOptions): (date: string) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (date) => {
    format ??= new Intl.DateTimeFormat('en-GB', options);
    return format.format(new Date(date));
  };
}

/** "19 Nov", in the device's time zone. */
export const dayLabel = dateFormat({ day: 'numeric', month: 'short' });

/** "14 Nov", or "14 Nov 2025" when the year is not that of `nowMs`; in the device's time zone. */
export function dateLabel(date: string, nowMs = Date.now()): string {
  const then = new Date(date);
  const isThisYear = then.getFullYear() === new Date(nowMs).getFullYear();
  return isThisYear ? dayLabel(date) : `${dayLabel(date)} ${then.getFullYear()}`;
}

/** "Today", "Yesterday", or the `dateLabel` of an earlier date. */
function dayHeading(date: string, nowMs = Date.now()): string {
  const now = new Date(nowMs);
  const isDaysAgo = (days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toDateString() ===
    new Date(date).toDateString();
  if (isDaysAgo(0)) return 'Today';
  return isDaysAgo(1) ? 'Yesterday' : dateLabel(date, nowMs);
}

type Day<Item> = { day: string; items: [Item, ...Item[]] };

/** Groups items, newest first, by their day in the device's time zone. */
export function groupByDay<Item extends { createdAt: string }>(
  items: readonly Item[],
  nowMs = Date.now(),
): Day<Item>[] {
  const days: Day<Item>[] = [];
  for (const item of items) {
    const day = dayHeading(item.createdAt, nowMs);
    const lastGroup = days.at(-1);
    if (lastGroup?.day === day) lastGroup.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}

/** "14:05", in the device's time zone. */
export const timeLabel = dateFormat({ hour: '2-digit', minute: '2-digit' });

/** `dateLabel` with the time: "14 Nov, 12:30". */
export function dateTimeLabel(date: string, nowMs = Date.now()): string {
  return `${dateLabel(date, nowMs)}, ${timeLabel(date)}`;
}
