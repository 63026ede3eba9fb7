import { useEffect, useRef } from 'react';

/** For a place whose content comes and goes: it takes the focus that was lost with what had it. */
export function useKeptFocus<Place extends HTMLElement = HTMLDivElement>() {
  const place = useRef<Place>(null);
  const last = useRef<Node | null>(null);

  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      last.current = target instanceof Node && place.current?.contains(target) === true ? target : null;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);

  // After every change: what is gone does not say so itself.
  useEffect(() => {
    if (last.current === null || last.current.isConnected) return;
    last.current = null;
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  });
  return place;
}
