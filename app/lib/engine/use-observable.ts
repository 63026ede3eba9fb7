import { useSyncExternalStore } from 'react';
import type { Observable } from '#sync/client/observable.ts';

/** `initial` returns the value that prerendered pages contain, for hydration. Without it, hydration uses the current value. */
export type HydratableObservable<T> = Observable<T> & { initial?: () => T };

/** The current value of an observable; a change re-renders the component. */
export function useObservable<T>({ subscribe, get, initial = get }: HydratableObservable<T>): T {
  // Without a document nothing is hydrated: the build and tests of components render the current value.
  return useSyncExternalStore(subscribe, get, typeof document === 'undefined' ? get : initial);
}

/** An observable of a value that may change whenever `target` fires one of these events. */
export function fromEvents<T>(target: EventTarget, events: readonly string[], get: () => T): Observable<T> {
  return {
    get,
    subscribe(listener) {
      for (const event of events) target.addEventListener(event, listener, { passive: true });
      return () => {
        for (const event of events) target.removeEventListener(event, listener);
      };
    },
  };
}
