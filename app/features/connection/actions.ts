import { connectionState, engineState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { isCardDismissedAtom } from './atoms.ts';

export function tryConnection(): void {
  engineState.get()?.tryConnection();
}

export function dismissCard(): void {
  store.set(isCardDismissedAtom, true);
  const stop = connectionState.subscribe(() => {
    const { phase } = connectionState.get();
    if (phase !== 'connected' && phase !== 'checking') return;
    store.set(isCardDismissedAtom, false);
    stop();
  });
}

export function restoreCard(): void {
  store.set(isCardDismissedAtom, false);
}
