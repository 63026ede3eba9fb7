import { type RefObject, useEffect, useState } from 'react';

/**
 * Whether a poll has been hidden or shown again since it came on the screen. The card that replaced the other one then takes the
 * focus, if that was lost.
 */
export function useWasReplaced(isHidden: boolean): boolean {
  const [wasHidden] = useState(isHidden);
  const [wasReplaced, setWasReplaced] = useState(false);
  if (isHidden !== wasHidden && !wasReplaced) setWasReplaced(true);
  return wasReplaced;
}

/** Moves a lost focus to an element when it is mounted, if `mayTakeFocus` is true, which is false afterwards. */
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
