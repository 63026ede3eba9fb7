import { connectionState, engineState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { isCardDismissedAtom } from './atoms.ts';

/** Checks the connection now, and sends waiting changes. */
export function tryConnection(): void {
  engineState.get()?.tryConnection();
}

/** Hides the connection card for the current outage, including the message that the connection is restored. */
export function dismissConnectionCard(): void {
  store.set(isCardDismissedAtom, true);
  const stop = connectionState.subscribe(() => {
    const { phase } = connectionState.get();
    if (phase !== 'connected' && phase !== 'checking') return;
    store.set(isCardDismissedAtom, false);
    stop();
  });
}

/** Shows the connection card again. */
export function showConnectionCard(): void {
  store.set(isCardDismissedAtom, false);
}
