import { useEffect, useRef, useState } from 'react';

/** The delay before the first retry; it doubles with each failure, up to 16 times this value. */
const FIRST_RETRY_DELAY_MS = 3_000;

/**
 * Loads the next page when the end of the list is near the screen, and retries after failures. `load` resolves to whether it
 * succeeded, and must be the same function on every render. Needs a `key` that changes with each page: the observer reports only
 * changes, and the end of the longer list may still be near the screen.
 */
export function PageLoader({ load }: { load(): Promise<boolean> }) {
  const sentinel = useRef<HTMLDivElement>(null);
  const [failures, setFailures] = useState(0);
  useEffect(() => {
    if (sentinel.current === null) return;
    let timer = 0;
    const loadPage = async () => {
      if (await load()) return;
      timer = window.setTimeout(
        () => setFailures(failures + 1),
        FIRST_RETRY_DELAY_MS * 2 ** Math.min(failures, 4),
      );
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void loadPage();
      },
      { rootMargin: '400px' },
    );
    observer.observe(sentinel.current);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [failures, load]);
  return <div ref={sentinel} className="h-px" />;
}
