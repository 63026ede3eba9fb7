import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { dropSnapshot, snapshotOf } from '#app/features/polls/lib/home-snapshot.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { useUser } from '#app/lib/engine/session.ts';
import type { FeedView } from '#sync/client/cache/reads.ts';

const KEPT_AFTER_MS = 2_000;

/**
 * Keeps what the feed looks like for the next start: some time after it has changed, or as soon as the page is hidden or the feed is
 * left.
 */
export function useKeepSnapshot(view: FeedView | undefined): RefObject<HTMLDivElement | null> {
  const feed = useRef<HTMLDivElement>(null);
  const kept = useRef<string>(null);
  const userId = useUser()?.id;
  const isShown = view !== undefined && userId !== undefined;

  useEffect(() => {
    if (view === undefined || userId === undefined) return;
    dropSnapshot();
    const keepSoon = () => void keep(feed.current, kept, userId);
    const timer = setTimeout(keepSoon, KEPT_AFTER_MS);
    const onChange = () => {
      if (document.visibilityState === 'hidden') keepSoon();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [view, userId]);

  // A layout effect is cleaned up while its elements are still in the page.
  useLayoutEffect(() => {
    if (!isShown) return;
    return () => void keep(feed.current, kept, userId);
  }, [isShown, userId]);
  return feed;
}

/** Stores the snapshot of `feed` unless it is the one in `kept`. Without room for it the next start shows the one before, or skeletons. */
async function keep(feed: Element | null, kept: RefObject<string | null>, userId: number): Promise<void> {
  if (feed === null) return;
  const [html, look] = [snapshotOf(feed), window.homeLook?.() ?? ''];
  if (kept.current === html + look) return;
  const engine = await loadEngine();
  try {
    await engine.keepHomeSnapshot(userId, html, look);
    kept.current = html + look;
  } catch {}
}
