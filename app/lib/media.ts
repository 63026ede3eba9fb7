import { useObservable } from '#app/lib/engine/use-observable.ts';
import type { Observable } from '#sync/client/observable.ts';

const DESKTOP = '(min-width: 48.0625rem)';

const isDesktop: Observable<boolean> = {
  get: () => matchMedia(DESKTOP).matches,
  subscribe(listener) {
    const query = matchMedia(DESKTOP);
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  },
};

/** Whether the window is wider than the mobile breakpoint of 768 px. */
export function useIsDesktop(): boolean {
  return useObservable(isDesktop);
}

export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
