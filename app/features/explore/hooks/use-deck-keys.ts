import { useDocumentKeys } from '#app/lib/browser/use-document-keys.ts';
import type { Option } from '#shared/polls/schema.ts';

type Commands = { vote(option: Option): void; goOn(): void; undo(): void; keepVote(): void };

/** The arrow keys, S and U work wherever the focus is, except in what has keys of its own. */
export function useDeckKeys({ vote, goOn, undo, keepVote }: Commands): void {
  const commands: Record<string, () => void> = {
    ArrowLeft: () => vote(1),
    ArrowRight: () => vote(2),
    ArrowDown: goOn,
    s: goOn,
    ArrowUp: undo,
    u: undo,
    Escape: keepVote,
  };
  useDocumentKeys((event) => {
    const { key, target, repeat, ctrlKey, metaKey, altKey } = event;
    const hasOwnKeys =
      target instanceof Element &&
      target.closest('input, textarea, [role]:not([role="tabpanel"]), [popover], dialog') !== null;
    const command = commands[key.length === 1 ? key.toLowerCase() : key];
    if (command === undefined || event.defaultPrevented || hasOwnKeys || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    // A key that is held down does not vote on one poll after the other.
    if (!repeat) command();
  });
}
