import { useEffect, useRef } from 'react';

/** For a place whose content changes with `state`: it takes the focus that would be lost with what had it. */
export function useKeptFocus<Place extends HTMLElement = HTMLDivElement>(state: unknown) {
  const place = useRef<Place>(null);
  const before = useRef(state);
  useEffect(() => {
    const hasChanged = before.current !== state;
    before.current = state;
    if (hasChanged && document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  }, [state]);
  return place;
}
