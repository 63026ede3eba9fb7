import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { dropSnapshot, snapshotOf } from '#app/features/polls/lib/home-snapshot.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { useUser } from '#app/lib/engine/session.ts';
import type { FeedView } from '#sync/client/cache/reads.ts';

const KEPT_AFTER_MS = 2_000;

/**
 * Keeps a snapshot of the feed for the next start: some time after the feed has changed, and at once when the page is hidden or the
 * user leaves the feed. Keeps none while `view` is undefined.
 */
export function useSnapshotSaver(view: FeedView | undefined): RefObject<HTMLDivElement | null> {
  const feed = useRef<HTMLDivElement>(null);
  const userId = useUser()?.id;
  /** The user whose polls the feed shows; undefined while there is nothing to keep. */
  const shownUserId = useRef<number>(undefined);
  useLayoutEffect(() => {
    shownUserId.current = view === undefined ? undefined : userId;
  }, [view, userId]);

  useEffect(() => {
    if (view === undefined) return;
    dropSnapshot();
    const keep = () => keepSnapshot(feed.current, userId);
    const timer = setTimeout(keep, KEPT_AFTER_MS);
    const onChange = () => {
      if (document.visibilityState === 'hidden') keep();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [view, userId]);

  // React removes the elements of a component after it has cleaned up its layout effects.
  useLayoutEffect(() => () => keepSnapshot(feed.current, shownUserId.current), []);
  return feed;
}

/** If there is no space for the snapshot, the next start shows the previous one or skeletons. */
function keepSnapshot(feed: Element | null, userId: number | undefined): void {
  if (feed === null || userId === undefined) return;
  const [html, look] = [snapshotOf(feed), window.homeLook?.() ?? ''];
  void loadEngine()
    .then((engine) => engine.keepHomeSnapshot(userId, html, look))
    .catch(() => {});
}
