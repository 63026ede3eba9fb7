import { type RefCallback, useCallback } from 'react';
import { engineState } from '#app/lib/engine/engine.ts';

/** Keeps the results of a poll fresh while the element that carries this ref can be seen. */
export function useWatchedPoll(pollId: string): RefCallback<HTMLElement> {
  return useCallback(
    (element) => {
      if (element === null) return;
      let unwatch: (() => void) | undefined;
      const observer = new IntersectionObserver((entries) => {
        unwatch?.();
        const isSeen = entries.at(-1)?.isIntersecting ?? false;
        unwatch = isSeen ? engineState.get()?.watchPoll(pollId) : undefined;
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
