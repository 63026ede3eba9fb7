import { type RefObject, useEffect } from 'react';

/**
 * Moves a lost focus to an element when it is mounted, if `mayTakeFocus` is true, which is false afterwards. The card of a poll
 * and the card that replaces it while the poll is hidden share `mayTakeFocus`, and set it when the user acts on them.
 */
export function useTakeLostFocus(
  element: RefObject<HTMLElement | null>,
  mayTakeFocus: RefObject<boolean>,
): void {
  useEffect(() => {
    const focused = document.activeElement;
    // A closing dialog whose opener is gone focuses `main`.
    const isLost = focused === null || focused === document.body || focused.id === 'main';
    if (mayTakeFocus.current && isLost) element.current?.focus({ preventScroll: true });
    mayTakeFocus.current = false;
  }, [element, mayTakeFocus]);
}
