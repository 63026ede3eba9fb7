import { useEffect, useEffectEvent } from 'react';

/** Calls `onKey` when a key is pressed, wherever the focus is, unless a dialog, menu or other popover is open. */
export function useDocumentKeys(onKey: (event: KeyboardEvent) => void): void {
  const handleKey = useEffectEvent(onKey);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open], :popover-open') === null) handleKey(event);
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
