import { dayLabel } from '#app/lib/time.ts';
import type { AdminPagination, AuditAction } from '#shared/admin/schema.ts';

const NUMBER = new Intl.NumberFormat('en-GB');
const TIME_OF_DAY = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const UTC_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** "1,284". */
export function numberLabel(value: number): string {
  return NUMBER.format(value);
}

/** "#143": what a user is called where a name would not do. */
export function idLabel({ id }: { id: number }): string {
  return `#${id}`;
}

/** "14 Nov", with its year where that is another one than at `nowMs`; in the device's time zone. */
export function dateLabel(date: string, nowMs = Date.now()): string {
  const then = new Date(date);
  const isThisYear = then.getFullYear() === new Date(nowMs).getFullYear();
  return isThisYear ? dayLabel(date) : `${dayLabel(date)} ${then.getFullYear()}`;
}

/** "14 Nov, 12:30", with its year where that is another one than at `nowMs`; in the device's time zone. */
export function momentLabel(date: string, nowMs = Date.now()): string {
  return `${dateLabel(date, nowMs)}, ${TIME_OF_DAY.format(new Date(date))}`;
}

/** "8 Nov" for a day of the server, such as 2026-11-08. */
export function utcDayLabel(day: string): string {
  return UTC_DAY.format(new Date(day));
}

/** "1.4 GB": so many bytes in the largest unit that leaves at least 1, powers of 1000. */
export function bytesLabel(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const rounded = unit === 0 || value >= 9.95 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${NUMBER.format(rounded)} ${BYTE_UNITS[unit] ?? 'bytes'}`;
}

/** "1,284"; a search that matched more than could be counted ends with a plus. */
export function totalLabel({
  total,
  hasMoreThanTotal,
}: Pick<AdminPagination, 'total' | 'hasMoreThanTotal'>): string {
  return `${numberLabel(total)}${hasMoreThanTotal ? '+' : ''}`;
}

/** "1 to 10 of 1,284", or "of 1,000+". */
export function rangeLabel(pagination: AdminPagination): string {
  const { page, limit, total } = pagination;
  const first = Math.min(total, (page - 1) * limit + 1);
  const last = Math.min(total, page * limit);
  return `${numberLabel(first)} to ${numberLabel(last)} of ${totalLabel(pagination)}`;
}

/** "No mail waits", "1 mail waits", "2 mails wait". */
export function mailsLabel(count: number): string {
  if (count === 0) return 'No mail waits';
  return count === 1 ? '1 mail waits' : `${numberLabel(count)} mails wait`;
}

const PAGES_BESIDE = 1;

/** The pages to choose from: the first, the last, those around `page`, and null where some are left out. */
export function pageChoices(page: number, pages: number): (number | null)[] {
  const from = Math.min(page - PAGES_BESIDE, pages - 2 * PAGES_BESIDE);
  const to = Math.max(page + PAGES_BESIDE, 2 * PAGES_BESIDE + 1);
  const shown = Array.from({ length: pages }, (_, index) => index + 1).filter(
    (each) => each === 1 || each === pages || (each >= from && each <= to),
  );
  return shown.flatMap((each, index) => {
    const gap = each - (shown[index - 1] ?? 0);
    if (gap === 2) return [each - 1, each];
    return gap > 2 ? [null, each] : [each];
  });
}

/** "poll …fa8dd8d": an id that nobody reads whole by its end, by which it differs. */
export function shortTarget(target: string): string {
  return target.replace(/[0-9a-f]{8}-[0-9a-f-]{19}([0-9a-f]{8})$/, '…$1');
}

/** What was done; to whom or what exactly stands beside it. */
export const AUDIT_WORDS: Record<AuditAction, string> = {
  'user.delete': 'deleted a user',
  'user.suspend': 'suspended a user',
  'user.unsuspend': 'ended the suspension of a user',
  'poll.delete': 'deleted a poll',
  'poll.deactivate': 'deactivated a poll',
  'poll.activate': 'activated a poll',
  'bulk-upload.start': 'started a bulk upload',
  'repair-images.start': 'started an image repair',
  'generate-polls.start': 'started to generate polls',
  'job.stop': 'stopped a job',
};
