import { atom } from 'jotai';
import { isIos } from '#app/lib/browser/ios-tab.ts';
import { fromEvents, type HydratableObservable } from '#app/lib/engine/use-observable.ts';

/** TypeScript's library lacks this event, which only Chromium has. */
type InstallPrompt = Event & { prompt(): Promise<void> };

declare global {
  interface Window {
    /** Stored by public/early.js, as the browser may fire the event before the app runs. Null once it has been used. */
    installPrompt?: InstallPrompt | null;
  }
}

/**
 * How the app can be installed: `prompt` by a prompt of the browser, `steps` by the user in the menu of Safari on an iPhone or
 * iPad. Null in the installed app, and where the app cannot be installed.
 */
export type InstallMethod = 'prompt' | 'steps' | null;

/** Whether this is Safari: other browsers on iOS, whose menus differ, have names of their own in their user agents. */
function isIosSafari(): boolean {
  const isSafari = / like Gecko\) Version\/[\d.]+ (Mobile\/\w+ )?Safari\/[\d.]+$/.test(navigator.userAgent);
  return isSafari && isIos(navigator);
}

function findInstallMethod(): InstallMethod {
  if (matchMedia('(display-mode: standalone)').matches || Reflect.get(navigator, 'standalone') === true) {
    return null;
  }
  if (window.installPrompt) return 'prompt';
  return isIosSafari() ? 'steps' : null;
}

// Pages are prerendered without a window.
const target = typeof window === 'undefined' ? new EventTarget() : window;
const USED_EVENT = 'install-prompt-used';

export const installMethodState: HydratableObservable<InstallMethod> = {
  ...fromEvents(target, ['beforeinstallprompt', 'appinstalled', USED_EVENT], findInstallMethod),
  initial: () => null,
};

/** Whether the sheet that says why (`prompt`) or how (`steps`) to install the app is open. */
export const isInstallSheetOpenAtom = atom(false);

/** Shows the browser's install prompt, which needs a tap and works once per page load. */
export async function promptInstall(): Promise<void> {
  const { installPrompt } = window;
  window.installPrompt = null;
  window.dispatchEvent(new Event(USED_EVENT));
  await installPrompt?.prompt();
}
