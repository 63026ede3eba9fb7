import { type RefObject, useEffect } from 'react';

/** The `focusKey` of the card that the user acted on last; null again once an element with this key is mounted. */
let lastFocusKey: string | null = null;

/** Remembers that the user has acted on the card with this `focusKey`: the focus may be lost with the button that was used. */
export function rememberCard(focusKey: string): void {
  lastFocusKey = focusKey;
}

/**
 * Moves a lost focus to an element when it is mounted, if the user acted on its card last. The card of a poll and the card that
 * replaces it while the poll is hidden have the same `focusKey`.
 */
export function useTakeLostFocus(element: RefObject<HTMLElement | null>, focusKey: string): void {
  useEffect(() => {
    if (lastFocusKey !== focusKey) return;
    lastFocusKey = null;
    const focused = document.activeElement;
    // A closing dialog whose opener is gone focuses `main`.
    const isLost = focused === null || focused === document.body || focused.id === 'main';
    if (isLost) element.current?.focus({ preventScroll: true });
  }, [element, focusKey]);
}
