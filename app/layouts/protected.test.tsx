import { isValidElement } from 'react';
import { expect, test, vi } from 'vitest';
import type { Session } from '#sync/client/session/session-context.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { Protected } from './protected.tsx';

let session: Session;
vi.mock('#app/lib/engine/session.ts', () => ({ useSession: () => session }));
vi.mock('jotai', async (load) => ({ ...(await load<object>()), useAtomValue: () => false }));
vi.mock('react-router-dom', async (load) => ({
  ...(await load<object>()),
  useLocation: () => ({ pathname: '/home', search: '', hash: '' }),
}));

/** The key of the element that a user sees. React does not carry state over from an element with another key. */
function keyFor(id: number, needsLogin = false) {
  session = { status: 'user', user: sampleUser({ id }), db: null as never, needsLogin };
  const element = Protected({ fallback: null, allowsEndedSession: true, children: null });
  if (!isValidElement(element)) throw new Error('no element');
  return element.key;
}

test('the screen of one user keeps no state, such as an open dialog, for another user', () => {
  expect(keyFor(7)).not.toBe(keyFor(8));
});

test('the screen keeps its state when the session of its user ends', () => {
  expect(keyFor(7, true)).toBe(keyFor(7));
});
