import { type RefObject, useEffect, useRef } from 'react';
import { dropSnapshot, keepSnapshot } from '#app/features/polls/lib/home-snapshot.ts';
import type { FeedView } from '#sync/client/cache/reads.ts';

const KEPT_AFTER_MS = 2_000;

/** Keeps what the feed looks like for the next start: some time after it has changed, or as soon as the page is hidden. */
export function useKeepSnapshot(view: FeedView | undefined): RefObject<HTMLDivElement | null> {
  const feed = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (view === undefined || feed.current === null) return;
    dropSnapshot();
    const keep = () => {
      // Without room for it the next start shows skeletons.
      if (feed.current !== null) keepSnapshot(feed.current).catch(() => undefined);
    };
    const timer = setTimeout(keep, KEPT_AFTER_MS);
    const onChange = () => {
      if (document.visibilityState === 'hidden') keep();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [view]);
  return feed;
}
