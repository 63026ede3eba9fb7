import { atom } from 'jotai';
import { type AppObservable, fromEvents } from '#app/lib/engine/use-observable.ts';

/** Chromium only, hence not in TypeScript's library. */
type InstallPrompt = Event & { prompt(): Promise<void> };

declare global {
  interface Window {
    /** Kept by public/early.js, since the browser tells it before the app runs. Null once it is used. */
    installPrompt?: InstallPrompt | null;
  }
}

/** - `prompt`: the browser asks by itself; - `steps`: the user does it, on an iPhone or iPad. Null when there is no way, or no need. */
export type InstallMethod = 'prompt' | 'steps' | null;

/** Other browsers of these devices have another menu. */
function isIosSafari({ userAgent, maxTouchPoints }: Navigator): boolean {
  const isIos = /iPhone|iPod|iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  return isIos && /Version\/[\d.]+ .*Safari\//.test(userAgent);
}

function findInstallMethod(): InstallMethod {
  if (matchMedia('(display-mode: standalone)').matches || Reflect.get(navigator, 'standalone') === true) {
    return null;
  }
  if (window.installPrompt) return 'prompt';
  return isIosSafari(navigator) ? 'steps' : null;
}

// Pages are prerendered without a window.
const target = typeof window === 'undefined' ? new EventTarget() : window;
const USED_EVENT = 'install-prompt-used';

export const installMethodState: AppObservable<InstallMethod> = {
  ...fromEvents(target, ['beforeinstallprompt', 'appinstalled', USED_EVENT], findInstallMethod),
  initial: () => null,
};

/** Whether the sheet with the reasons or the steps is open. */
export const isInstallSheetOpenAtom = atom(false);

/** Has the browser ask whether to install the app, in answer to a tap. It does so once a page. */
export async function promptInstall(): Promise<void> {
  const { installPrompt } = window;
  window.installPrompt = null;
  window.dispatchEvent(new Event(USED_EVENT));
  await installPrompt?.prompt();
}
