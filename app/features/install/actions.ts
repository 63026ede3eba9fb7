import { onEngineEvent, sessionState } from '#app/lib/engine/engine.ts';
import {
  installMethodState,
  isInstallSheetOpenAtom,
  promptInstall,
} from '#app/lib/install/install-method.ts';
import { store } from '#app/lib/store.ts';
import { openModalCountAtom, showToast } from '#app/lib/toasts.ts';
import { isWarmingUp } from '#app/lib/warm-up.ts';
import { installOfferAtom } from './atoms.ts';
import { afterPause } from './lib/after-pause.ts';

/** Installing is offered after this many votes, when users know what the app is good for. */
const VOTES_BEFORE_OFFER = 3;
const TOAST_DURATION_MS = 20_000;

/** Offers to install the app, once on each device, after the third vote was applied. Returns a function that stops watching. */
export function watchForInstallOffer(): () => void {
  let stopWaiting = () => {};
  // Without a subscriber, the atom would not notice that another tab changes the stored offer.
  const unfollow = store.sub(installOfferAtom, () => {});
  const unsubscribe = onEngineEvent(({ type, op }) => {
    if (type !== 'applied' || op.type !== 'vote') return;
    const offer = store.get(installOfferAtom);
    if (offer.isMade) return;
    const votes = offer.votes + 1;
    store.set(installOfferAtom, { ...offer, votes });
    stopWaiting();
    if (votes >= VOTES_BEFORE_OFFER) stopWaiting = afterPause(offerToInstall);
  });
  return () => {
    unsubscribe();
    unfollow();
    stopWaiting();
  };
}

/** Offers to install the app. Does nothing while a dialog or menu is open or a warm-up runs: the next vote tries again. */
function offerToInstall(): void {
  const session = sessionState.get();
  const isBusy =
    store.get(openModalCountAtom) > 0 ||
    document.querySelector(':popover-open') !== null ||
    (session.status === 'user' && isWarmingUp(session.user.id));
  const method = installMethodState.get();
  if (method === null || isBusy || document.visibilityState !== 'visible') return;
  store.set(installOfferAtom, (offer) => ({ ...offer, isMade: true }));
  if (method === 'steps' || matchMedia('(pointer: coarse)').matches) {
    store.set(isInstallSheetOpenAtom, true);
    return;
  }
  // On a desktop, a sheet would get in the way.
  showToast('success', 'Keep it on your desktop', 'It opens instantly and works without a signal.', {
    topic: 'install',
    action: { label: 'Install', run: () => void promptInstall() },
    durationMs: TOAST_DURATION_MS,
  });
}
