import { expect, test, vi } from 'vitest';
import { ApiError } from '#app/lib/api/api-error.ts';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import type { ErrorCode } from '#shared/errors.ts';

const adminRequest = vi.hoisted(() => vi.fn());
vi.mock('./queries.ts', () => ({ adminRequest }));
vi.mock('#app/lib/analytics/track-event.ts', () => ({ trackEvent() {} }));
const { decideReport } = await import('./actions.ts');

const REPORT = { id: 'poll-1', reports: 2 };

function refuse(status: number, code: ErrorCode, message: string): void {
  adminRequest.mockRejectedValue(new ApiError(status, '', { code, message }));
}

test('a reported poll still needs a decision if its maker could not be suspended because their account is gone', async () => {
  const message = 'The account of the maker has been deleted.';
  refuse(404, 'not_found', message);
  expect(await decideReport(REPORT, 'suspend')).toBe(false);
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Failed to suspend maker', text: message }]);
  // The other decisions need only the poll: for them, `not_found` means that it is gone and needs no decision.
  expect(await decideReport(REPORT, 'remove')).toBe(true);
});

test('a decision is about the reports that were shown, and still needed if they have changed', async () => {
  refuse(409, 'reports_changed', 'The reports of this poll have changed.');
  expect(await decideReport(REPORT, 'remove')).toBe(false);
  expect(adminRequest.mock.lastCall?.[1]).toMatchObject({ json: { action: 'remove', reports: 2 } });
});
