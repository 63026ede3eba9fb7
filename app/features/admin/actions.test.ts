import { expect, test, vi } from 'vitest';
import { ApiError } from '#app/lib/api/api-error.ts';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';

const message = 'The account of the maker has been deleted.';
vi.mock('./queries.ts', () => ({
  adminRequest: async () => {
    throw new ApiError(404, '', { code: 'not_found', message });
  },
  LONG_TIMEOUT_MS: 0,
}));
vi.mock('#app/lib/analytics/track-event.ts', () => ({ trackEvent() {} }));
const { decideReport } = await import('./actions.ts');

test('a reported poll still needs a decision if its maker could not be suspended because their account is gone', async () => {
  expect(await decideReport('poll-1', 'suspend')).toBe(false);
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Failed to suspend maker', text: message }]);
  // The other decisions need only the poll: for them, `not_found` means that it is gone and needs no decision.
  expect(await decideReport('poll-1', 'remove')).toBe(true);
});
