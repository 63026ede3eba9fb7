import { useSyncExternalStore } from 'react';
import type { Observable } from '#sync/client/observable.ts';

/** What an observable has now; the component is rendered again when that changes. */
export function useObservable<T>({ subscribe, get }: Observable<T>): T {
  return useSyncExternalStore(subscribe, get, get);
}
