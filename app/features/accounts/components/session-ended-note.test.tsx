import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { OutboxCounts } from '#app/lib/engine/user-query.ts';

const counts = vi.fn<() => OutboxCounts>();
vi.mock('#app/lib/engine/user-query.ts', () => ({ useOutboxCounts: counts }));
// An imported module calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { default: SessionEndedNote } = await import('./session-ended-note.tsx');

test('the note after the end of a session counts the changes that a login sends, not the refused ones', () => {
  counts.mockReturnValue({ waiting: 1, needsDecision: 2 });
  expect(renderToStaticMarkup(<SessionEndedNote />)).toContain('Log in to send 1 change.');
  counts.mockReturnValue({ waiting: 0, needsDecision: 2 });
  expect(renderToStaticMarkup(<SessionEndedNote />)).toContain(
    'Your session has ended. Please log in again.',
  );
});
