import { type RefObject, useEffect, useRef } from 'react';
import { dropSnapshot, snapshotOf } from '#app/features/polls/lib/home-snapshot.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import type { FeedView } from '#sync/client/cache/reads.ts';

const KEPT_AFTER_MS = 2_000;

/** Keeps what the feed looks like for the next start: some time after it has changed, or as soon as the page is hidden. */
export function useKeepSnapshot(view: FeedView | undefined): RefObject<HTMLDivElement | null> {
  const feed = useRef<HTMLDivElement>(null);
  const kept = useRef<string>(null);
  useEffect(() => {
    if (view === undefined) return;
    dropSnapshot();
    const keep = async () => {
      if (feed.current === null) return;
      const [html, look] = [snapshotOf(feed.current), window.homeLook?.() ?? ''];
      if (kept.current === html + look) return;
      const engine = await loadEngine();
      // Without room for it the next start shows the one before, or skeletons.
      const isKept = await engine.keepHomeSnapshot(html, look).then(
        () => true,
        () => false,
      );
      if (isKept) kept.current = html + look;
    };
    const timer = setTimeout(() => void keep(), KEPT_AFTER_MS);
    const onChange = () => {
      if (document.visibilityState === 'hidden') void keep();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [view]);
  return feed;
}
