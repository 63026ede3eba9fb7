import { useDocumentKeys } from '#app/lib/browser/use-document-keys.ts';
import type { Option } from '#shared/polls/schema.ts';

type Commands = { vote(option: Option): void; advance(): void; undo(): void; keepVote(): void };

/** The keyboard shortcuts of the deck. They work wherever the focus is, except in elements that handle keys themselves. */
export function useDeckKeys({ vote, advance, undo, keepVote }: Commands): void {
  const commands: Record<string, () => void> = {
    ArrowLeft: () => vote(1),
    ArrowRight: () => vote(2),
    ArrowDown: advance,
    s: advance,
    ArrowUp: undo,
    u: undo,
    Escape: keepVote,
  };
  useDocumentKeys((event) => {
    const { key, target, repeat, ctrlKey, metaKey, altKey } = event;
    // The deck itself is in a tab panel.
    const hasOwnKeys =
      target instanceof Element && target.closest('input, textarea, [role]:not([role="tabpanel"])') !== null;
    const command = commands[key.length === 1 ? key.toLowerCase() : key];
    if (command === undefined || event.defaultPrevented || hasOwnKeys || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    // Holding a key down must not vote on one poll after another.
    if (!repeat) command();
  });
}
