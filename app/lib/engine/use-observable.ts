import { useSyncExternalStore } from 'react';
import type { Observable } from '#sync/client/observable.ts';

/** The current value of an observable; a change renders the component again. */
export function useObservable<T>({ subscribe, get }: Observable<T>): T {
  return useSyncExternalStore(subscribe, get, get);
}
