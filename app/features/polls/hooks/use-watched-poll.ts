import { type RefCallback, useCallback } from 'react';
import { engineState } from '#app/lib/engine/engine.ts';

/** Subscribes to live updates of a poll while the element with this ref is visible. */
export function useWatchedPoll(pollId: string): RefCallback<HTMLElement> {
  return useCallback(
    (element) => {
      if (element === null) return;
      let unwatch: (() => void) | undefined;
      const observer = new IntersectionObserver((entries) => {
        unwatch?.();
        const isVisible = entries.at(-1)?.isIntersecting ?? false;
        unwatch = isVisible ? engineState.get()?.watchPoll(pollId) : undefined;
      });
      observer.observe(element);
      return () => {
        observer.disconnect();
        unwatch?.();
      };
    },
    [pollId],
  );
}
