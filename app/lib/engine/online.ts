import { connectionState, isUnreachable } from './engine.ts';
import { fromEvents, type HydratableObservable, useObservable } from './use-observable.ts';

// While pages are prerendered there is no window, and the browser counts as online.
const target = typeof window === 'undefined' ? new EventTarget() : window;
const onlineState = fromEvents(target, ['online', 'offline'], () => navigator.onLine !== false);

/** Whether the browser reports a network. This decides what is shown and when to fetch again; queued changes are sent anyway. */
export function useOnline(): boolean {
  return useObservable(onlineState);
}

/**
 * False while the browser reports no network or the server is known to be unreachable. Screens show this, and fetch again what
 * they need once it is true again; the engine tries to send queued changes either way.
 */
export const reachableState: HydratableObservable<boolean> = {
  initial: () => true,
  get() {
    return onlineState.get() && !isUnreachable(connectionState.get());
  },
  subscribe(listener) {
    const unsubscribers = [onlineState.subscribe(listener), connectionState.subscribe(listener)];
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  },
};

export function useReachable(): boolean {
  return useObservable(reachableState);
}
