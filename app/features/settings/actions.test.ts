import { expect, test, vi } from 'vitest';
import { ApiError, UnreachableError } from '#app/lib/api/api-error.ts';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import { switchWeeklyMail } from './actions.ts';

const request = vi.hoisted(() => vi.fn());
vi.mock('#app/lib/api/api-client.ts', () => ({ request }));
vi.mock('#app/lib/engine/engine.ts', () => ({ loadEngine() {}, async storeUser() {} }));

test.each([
  ['may not have been', new UnreachableError('The response was lost')],
  ['was not', new ApiError(429, '', null)],
])(
  'if the user cannot be read after a failed change, a toast says that the mail %s turned off',
  async (words, error) => {
    store.set(toastsAtom, []);
    request.mockRejectedValueOnce(error).mockRejectedValueOnce(new UnreachableError('The read failed, too'));
    await switchWeeklyMail(7, false);
    expect(store.get(toastsAtom)).toMatchObject([{ title: `The weekly email ${words} turned off` }]);
  },
);
