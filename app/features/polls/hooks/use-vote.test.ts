import { expect, test, vi } from 'vitest';

// A module that is imported calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { onCardKey } = await import('./use-vote.ts');

/** Presses a key in a card with both vote buttons, and returns the option whose button has got the focus. */
function press(key: string, modifier?: 'altKey' | 'ctrlKey' | 'metaKey') {
  const keepVote = vi.fn();
  const preventDefault = vi.fn();
  let focused: string | null = null;
  const querySelector = (selector: string) => ({
    focus: () => {
      focused = /\d/.exec(selector)?.[0] ?? null;
    },
  });
  const modifiers = { altKey: false, ctrlKey: false, metaKey: false, ...(modifier && { [modifier]: true }) };
  onCardKey({ key, ...modifiers, preventDefault }, { querySelector } as unknown as Element, keepVote);
  return { focused, keptVotes: keepVote.mock.calls.length, isHandled: preventDefault.mock.calls.length > 0 };
}

test('the left and right arrow keys focus a vote button, and Escape keeps the vote', () => {
  expect(press('ArrowLeft')).toEqual({ focused: '1', keptVotes: 0, isHandled: true });
  expect(press('ArrowRight')).toEqual({ focused: '2', keptVotes: 0, isHandled: true });
  expect(press('Escape')).toEqual({ focused: null, keptVotes: 1, isHandled: false });
});

test.each(['altKey', 'ctrlKey', 'metaKey'] as const)(
  'an arrow key with %s, such as for Back, is left to the browser',
  (modifier) => {
    expect(press('ArrowLeft', modifier)).toEqual({ focused: null, keptVotes: 0, isHandled: false });
  },
);
