import type { AdminPagination, AuditAction, ReportAuditAction } from '#shared/admin/schema.ts';

const NUMBER_FORMAT = new Intl.NumberFormat('en-GB');
const UTC_DAY_FORMAT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** "1,284". */
export function numberLabel(value: number): string {
  return NUMBER_FORMAT.format(value);
}

/** "8 Nov" for 2026-11-08. */
export function utcDayLabel(day: string): string {
  return UTC_DAY_FORMAT.format(new Date(day));
}

type Total = Pick<AdminPagination, 'total' | 'hasMoreThanTotal'>;

/** "1,284", or "1,000+" if a search has more matches than were counted. */
export function totalLabel({ total, hasMoreThanTotal }: Total): string {
  return `${numberLabel(total)}${hasMoreThanTotal ? '+' : ''}`;
}

/** "1 to 10 of 1,284" or "1 to 10 of 1,000+". */
export function rangeLabel(pagination: AdminPagination): string {
  const { page, limit, total } = pagination;
  const firstRow = Math.min(total, (page - 1) * limit + 1);
  const lastRow = Math.min(total, page * limit);
  return `${numberLabel(firstRow)} to ${numberLabel(lastRow)} of ${totalLabel(pagination)}`;
}

/** "No emails waiting", "1 email waiting", "2 emails waiting". */
export function mailsLabel(count: number): string {
  if (count === 0) return 'No emails waiting';
  return `${numberLabel(count)} ${count === 1 ? 'email' : 'emails'} waiting`;
}

/** How many pages are shown on each side of the current one. */
const PAGES_AROUND = 1;

/**
 * The page numbers to show in a pager: the first, the last and the three around `page` (at either end, the first or the last
 * three), with null for each gap of several pages.
 */
export function pageChoices(page: number, pages: number): (number | null)[] {
  const firstAround = Math.min(page - PAGES_AROUND, pages - 2 * PAGES_AROUND);
  const lastAround = Math.max(page + PAGES_AROUND, 2 * PAGES_AROUND + 1);
  const shownPages = Array.from({ length: pages }, (_, index) => index + 1).filter(
    (pageNumber) =>
      pageNumber === 1 || pageNumber === pages || (pageNumber >= firstAround && pageNumber <= lastAround),
  );
  return shownPages.flatMap((pageNumber, index) => {
    const gap = pageNumber - (shownPages[index - 1] ?? 0);
    if (gap === 2) return [pageNumber - 1, pageNumber];
    return gap > 2 ? [null, pageNumber] : [pageNumber];
  });
}

/** Shortens a UUID to its end: "poll …bfa8dd8d". */
export function shortTarget(target: string): string {
  return target.replace(/[0-9a-f]{8}-[0-9a-f-]{19}([0-9a-f]{8})$/, '…$1');
}

export const AUDIT_ACTION_LABELS: Record<AuditAction | ReportAuditAction, string> = {
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
  'report.keep': 'kept a reported poll',
  'report.remove': 'removed a reported poll',
  'report.undo': 'reversed a decision on a report',
};
