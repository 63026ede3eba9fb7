import { createStore, Provider } from 'jotai';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { Op } from '#sync/operations/registry.ts';
import { POLL_ID } from '#sync/testing/samples.ts';

const waiting = vi.fn<() => Partial<Op>[]>();
vi.mock('#app/lib/engine/user-query.ts', () => ({
  useUserQuery: () => ({ needsDecision: [], waiting: waiting() }),
}));
// An imported module calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { isLogoutDialogOpenAtom } = await import('#app/features/accounts/atoms.ts');
const { LogoutDialog } = await import('./logout-dialog.tsx');

const UNSENT: Partial<Op> = {
  type: 'vote',
  schemaVersion: 1,
  entityId: POLL_ID,
  firstLeasedAt: null,
  leaseUntil: 0,
};

function dialogText(...ops: Partial<Op>[]): string {
  waiting.mockReturnValue(ops);
  const store = createStore();
  store.set(isLogoutDialogOpenAtom, true);
  return renderToStaticMarkup(
    <Provider store={store}>
      <LogoutDialog />
    </Provider>,
  );
}

test('the logout dialog says that discarding does not undo a change which the server may have received', () => {
  expect(dialogText(UNSENT)).toContain('It has not reached the server yet.<');
  const sent: Partial<Op> = { ...UNSENT, firstLeasedAt: 5, leaseUntil: 5 };
  expect(dialogText(sent)).toContain(
    'It has not been confirmed yet. If the server has received this change, discarding does not undo it.',
  );
  expect(dialogText(UNSENT, sent)).toContain(
    'If the server has received any of these changes, discarding does not undo it.',
  );
});
