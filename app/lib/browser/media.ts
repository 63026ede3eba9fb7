import { fromEvents, useObservable } from '#app/lib/engine/use-observable.ts';

const desktopQuery = matchMedia('(min-width: 48.0625rem)');
const isDesktopState = fromEvents(desktopQuery, ['change'], () => desktopQuery.matches);

/** Whether the window has the layout of a desktop: from 769 px on at the usual text size (`--breakpoint-md`). */
export function useIsDesktop(): boolean {
  return useObservable(isDesktopState);
}

export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
