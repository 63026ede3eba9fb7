import { useCallback, useRef } from 'react';

/**
 * For a component whose requests may overlap. The returned function is called at the start of a request; what it returns tells
 * whether no other request has started since, and the response is still to be shown.
 */
export function useLatestRequest(): () => () => boolean {
  const count = useRef(0);
  return useCallback(() => {
    count.current += 1;
    const number = count.current;
    return () => count.current === number;
  }, []);
}
