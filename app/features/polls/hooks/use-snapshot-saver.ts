import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { dropLastSnapshot, snapshotOf } from '#app/features/polls/lib/home-snapshot.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { useUser } from '#app/lib/engine/session.ts';
import type { PollsTabView } from '#sync/client/cache/reads.ts';

const SAVE_DELAY_MS = 2_000;

/**
 * Saves a snapshot of the Polls tab for the next start: some time after the feed has changed, and at once when the page is
 * hidden or the user leaves the Polls tab. Saves none while `view` is undefined. Returns the ref of the element to save.
 */
export function useSnapshotSaver(view: PollsTabView | undefined): RefObject<HTMLDivElement | null> {
  const container = useRef<HTMLDivElement>(null);
  const userId = useUser()?.id;
  /** The user whose feed is shown; undefined while there is nothing to save. */
  const shownUserId = useRef<number>(undefined);
  useLayoutEffect(() => {
    shownUserId.current = view === undefined ? undefined : userId;
  }, [view, userId]);

  useEffect(() => {
    if (view === undefined) return;
    dropLastSnapshot();
    const save = () => saveSnapshot(container.current, userId);
    const timer = setTimeout(save, SAVE_DELAY_MS);
    const onChange = () => {
      if (document.visibilityState === 'hidden') save();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [view, userId]);

  // React removes the elements of a component after it has cleaned up its layout effects.
  useLayoutEffect(() => () => saveSnapshot(container.current, shownUserId.current), []);
  return container;
}

/** If there is no space for the snapshot, the next start shows the previous snapshot or skeletons. */
function saveSnapshot(container: Element | null, userId: number | undefined): void {
  if (container === null || userId === undefined) return;
  // Before the engine is loaded, because React may have removed the elements by then.
  const html = snapshotOf(container);
  const look = window.homeLook?.() ?? '';
  void loadEngine()
    .then((engine) => engine.keepHomeSnapshot(userId, html, look))
    .catch(() => {});
}
