import type { Observable } from '#sync/client/observable.ts';
import { connectionState } from './engine.ts';
import { fromEvents, useObservable } from './use-observable.ts';

const online = fromEvents(window, ['online', 'offline'], () => navigator.onLine);

/** Whether the browser reports a network. Only for texts: requests are sent either way. */
export function useOnline(): boolean {
  return useObservable(online);
}

/** False while the server is known to be unreachable. Only for texts: requests are sent either way. */
export const reachableState: Observable<boolean> = {
  get() {
    const { phase } = connectionState.get();
    return online.get() && phase !== 'disconnected' && phase !== 'failed';
  },
  subscribe(listener) {
    const stops = [online.subscribe(listener), connectionState.subscribe(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  },
};

export function useReachable(): boolean {
  return useObservable(reachableState);
}
