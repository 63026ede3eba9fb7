import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';

const needsDecision = vi.fn<() => number>();
vi.mock('#app/lib/engine/user-query.ts', () => ({
  useOutboxCounts: () => ({ needsDecision: needsDecision(), waiting: 3 }),
  useUserQuery: () => undefined,
}));
// An imported module calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { MenuDot } = await import('./unread-count.tsx');

test('the menu button has a red dot while a refused change needs a decision, but not for waiting changes', () => {
  needsDecision.mockReturnValue(0);
  expect(renderToStaticMarkup(<MenuDot />)).toBe('');
  needsDecision.mockReturnValue(1);
  const dot = renderToStaticMarkup(<MenuDot />);
  expect(dot).toContain('bg-error');
  expect(dot).toContain('changes need a decision');
});
