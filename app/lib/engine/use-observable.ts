import { useSyncExternalStore } from 'react';
import type { Observable } from '#sync/client/observable.ts';

/** `initial` is the value that prerendered pages have; else hydration uses the current one. */
export type AppObservable<T> = Observable<T> & { initial?: () => T };

/** The current value of an observable; a change renders the component again. */
export function useObservable<T>({ subscribe, get, initial = get }: AppObservable<T>): T {
  return useSyncExternalStore(subscribe, get, typeof document === 'undefined' ? get : initial);
}

/** A value of the browser that can change with each of these events of `target`. */
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
