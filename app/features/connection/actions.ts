import { engineAtom } from '#app/lib/engine.ts';
import { store } from '#app/lib/store.ts';
import { putAwayAtom } from './atoms.ts';

/** Tries the server again, and sends what waits. */
export function tryConnection(): void {
  store.get(engineAtom)?.tryConnection();
}

export function putCardAway(): void {
  store.set(putAwayAtom, true);
}

export function bringCardBack(): void {
  store.set(putAwayAtom, false);
}
