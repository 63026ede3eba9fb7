import { connectionState, engineState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { putAwayAtom } from './atoms.ts';

/** Tries the server again, and sends what waits. */
export function tryConnection(): void {
  engineState.get()?.tryConnection();
}

/** Until the trouble is over. */
export function putCardAway(): void {
  store.set(putAwayAtom, true);
  const stop = connectionState.subscribe(() => {
    const { phase } = connectionState.get();
    if (phase !== 'connected' && phase !== 'checking') return;
    store.set(putAwayAtom, false);
    stop();
  });
}

export function bringCardBack(): void {
  store.set(putAwayAtom, false);
}
