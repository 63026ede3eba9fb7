import { atom } from 'jotai';
import { afterLoad } from '#app/lib/after-load.ts';
import { store } from '#app/lib/store.ts';
import type { FaultReport } from './fault.ts';

const RELOADED_KEY = 'reloaded-after-fault';
/** The address of this code has its hash, so it is another one in each build. */
const BUILD_ID = import.meta.url;

/**
 * Whether the application-error screen is up: `counting` reloads by itself, `waiting` leaves it to the person,
 * because this build has reloaded itself in this browser session before.
 */
export type Fault = 'none' | 'counting' | 'waiting';
export const faultAtom = atom<Fault>('none');

/** Whether this build has reloaded itself already; true where that cannot be remembered. */
function hasReloaded(): boolean {
  try {
    return sessionStorage.getItem(RELOADED_KEY) === BUILD_ID;
  } catch {
    return true;
  }
}

export function showFault(): void {
  if (store.get(faultAtom) !== 'none') return;
  store.set(faultAtom, hasReloaded() ? 'waiting' : 'counting');
}

/** How often the screen was put away: what broke is drawn again then. */
export const faultsPutAwayAtom = atom(0);

export function putFaultAway(): void {
  store.set(faultAtom, 'none');
  store.set(faultsPutAwayAtom, (count) => count + 1);
}

/** Whether the one reload that a build does by itself may happen now. It is written down: without that there is none. */
export function claimReload(): boolean {
  if (hasReloaded()) return false;
  try {
    sessionStorage.setItem(RELOADED_KEY, BUILD_ID);
  } catch {
    return false;
  }
  return true;
}

export function reloadByItself(): void {
  if (claimReload()) location.reload();
}

/** Without the rules (they could not be loaded) nothing is a fault. */
function hear(report: FaultReport): void {
  import('./fault.ts')
    .then(({ countsAsFault }) => {
      if (countsAsFault(report)) showFault();
    })
    .catch(() => undefined);
}

/** From now on a fault of the app brings the application-error screen. */
export function watchFaults(): void {
  void afterLoad.then(() => import('./fault.ts')).catch(() => undefined);
  window.addEventListener('error', (event) => {
    // Pictures that do not load have no message.
    if (!(event instanceof ErrorEvent)) return;
    hear({ kind: 'error', error: event.error, message: event.message, place: event.filename });
  });
  window.addEventListener('unhandledrejection', ({ reason }) => hear({ kind: 'rejection', reason }));
  const { error: print } = console;
  console.error = (...values: unknown[]) => {
    print.apply(console, values);
    hear({ kind: 'console', values });
  };
}
