import { atom } from 'jotai';
import { afterLoad } from '#app/lib/browser/after-load.ts';
import { store } from '#app/lib/store.ts';
import type { FaultReport } from './application-fault.ts';

const RELOADED_KEY = 'reloaded-after-fault';
/** The URL of this chunk contains a content hash, so it differs between builds. */
const BUILD_ID = import.meta.url;

/**
 * The application-error screen: `countdown` reloads the page automatically. `manual` does not, because this build has
 * already done so in this browser session.
 */
export type Fault = 'none' | 'countdown' | 'manual';
export const faultAtom = atom<Fault>('none');

/** Whether this build has already reloaded the page automatically; true without storage. */
function hasReloaded(): boolean {
  try {
    return sessionStorage.getItem(RELOADED_KEY) === BUILD_ID;
  } catch {
    return true;
  }
}

export function showFault(): void {
  if (store.get(faultAtom) !== 'none') return;
  store.set(faultAtom, hasReloaded() ? 'manual' : 'countdown');
}

/** How many times the application-error screen was dismissed. A new number renders the failed components again. */
export const faultDismissalsAtom = atom(0);

export function dismissFault(): void {
  store.set(faultAtom, 'none');
  store.set(faultDismissalsAtom, (count) => count + 1);
}

/** Whether the page may be reloaded automatically, which each build may do once. If so, records the reload. */
export function claimAutomaticReload(): boolean {
  if (hasReloaded()) return false;
  try {
    sessionStorage.setItem(RELOADED_KEY, BUILD_ID);
  } catch {
    return false;
  }
  return true;
}

export function reloadOnce(): void {
  if (claimAutomaticReload()) location.reload();
}

const loadClassifier = () => import('./application-fault.ts');

/** Ignores the report when the code that classifies it could not be loaded. */
function handleReport(report: FaultReport): void {
  loadClassifier()
    .then(({ isApplicationFault }) => {
      if (isApplicationFault(report)) showFault();
    })
    .catch(() => undefined);
}

/** Shows the application-error screen after a fault of the app. */
export function watchForFaults(): void {
  // Preloaded, because the browser may be offline when something breaks.
  void afterLoad.then(loadClassifier).catch(() => undefined);
  window.addEventListener('error', (event) => {
    handleReport({ kind: 'error', error: event.error, message: event.message, source: event.filename });
  });
  window.addEventListener('unhandledrejection', ({ reason }) => handleReport({ kind: 'rejection', reason }));
  const { error: logError } = console;
  console.error = (...values: unknown[]) => {
    logError.apply(console, values);
    handleReport({ kind: 'console', values });
  };
}
