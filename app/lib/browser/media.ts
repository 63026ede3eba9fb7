import { fromEvents, useObservable } from '#app/lib/engine/use-observable.ts';

const desktop = matchMedia('(min-width: 48.0625rem)');
const isDesktop = fromEvents(desktop, ['change'], () => desktop.matches);

/** Whether the window has the layout of a desktop: from 769 px on at the usual text size (`--breakpoint-md`). */
export function useIsDesktop(): boolean {
  return useObservable(isDesktop);
}

export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
