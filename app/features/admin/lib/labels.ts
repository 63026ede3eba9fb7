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

/** "14 Nov", or "14 Nov 2025" when the year is not that of `nowMs`; in the device's time zone. */
export function dateLabel(date: string, nowMs = Date.now()): string {
  const then = new Date(date);
  const isThisYear = then.getFullYear() === new Date(nowMs).getFullYear();
  return isThisYear ? dayLabel(date) : `${dayLabel(date)} ${then.getFullYear()}`;
}

/** `dateLabel` with the time: "14 Nov, 12:30". */
export function momentLabel(date: string, nowMs = Date.now()): string {
  return `${dateLabel(date, nowMs)}, ${TIME_OF_DAY.format(new Date(date))}`;
}

/** "8 Nov" for 2026-11-08. */
export function utcDayLabel(day: string): string {
  return UTC_DAY.format(new Date(day));
}

/** "1.4 GB", in powers of 1000. */
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

type Total = Pick<AdminPagination, 'total' | 'hasMoreThanTotal'>;

/** "1,284", or "1,000+" when a search matched more than was counted. */
export function totalLabel({ total, hasMoreThanTotal }: Total): string {
  return `${numberLabel(total)}${hasMoreThanTotal ? '+' : ''}`;
}

/** "1 to 10 of 1,284", or "of 1,000+". */
export function rangeLabel(pagination: AdminPagination): string {
  const { page, limit, total } = pagination;
  const first = Math.min(total, (page - 1) * limit + 1);
  const last = Math.min(total, page * limit);
  return `${numberLabel(first)} to ${numberLabel(last)} of ${totalLabel(pagination)}`;
}

/** "No mails waiting", "1 mail waiting", "2 mails waiting". */
export function mailsLabel(count: number): string {
  if (count === 0) return 'No mails waiting';
  return `${numberLabel(count)} ${count === 1 ? 'mail' : 'mails'} waiting`;
}

const PAGES_AROUND = 1;

/** The page numbers of a pager: the first, the last and those around `page`, with null for each gap. */
export function pageChoices(page: number, pages: number): (number | null)[] {
  const from = Math.min(page - PAGES_AROUND, pages - 2 * PAGES_AROUND);
  const to = Math.max(page + PAGES_AROUND, 2 * PAGES_AROUND + 1);
  const shown = Array.from({ length: pages }, (_, index) => index + 1).filter(
    (each) => each === 1 || each === pages || (each >= from && each <= to),
  );
  return shown.flatMap((each, index) => {
    const gap = each - (shown[index - 1] ?? 0);
    if (gap === 2) return [each - 1, each];
    return gap > 2 ? [null, each] : [each];
  });
}

/** Shortens a UUID to its end: "poll …bfa8dd8d". */
export function shortTarget(target: string): string {
  return target.replace(/[0-9a-f]{8}-[0-9a-f-]{19}([0-9a-f]{8})$/, '…$1');
}

export const AUDIT_ACTION_LABELS: Record<AuditAction, string> = {
  'user.delete': 'deleted a user',
  'user.suspend': 'suspended a user',
  'user.unsuspend': 'unsuspended a user',
  'poll.delete': 'deleted a poll',
  'poll.deactivate': 'deactivated a poll',
  'poll.activate': 'activated a poll',
  'bulk-upload.start': 'started a bulk upload',
  'repair-images.start': 'started an image repair',
  'generate-polls.start': 'started generating polls',
  'job.stop': 'stopped a job',
};
