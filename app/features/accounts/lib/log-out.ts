import { isLogoutDialogOpenAtom } from '#app/features/accounts/atoms.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { deleteReceivedPhotos } from '#app/lib/drafts/received-photos.ts';
import { loadEngine, sessionState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';

/** Logs out, or opens the logout dialog when changes are waiting to be sent. Never throws. */
export async function requestLogout(): Promise<void> {
  const session = sessionState.get();
  try {
    const waiting = session.status === 'user' ? (await readOutbox(session.db)).waiting : [];
    if (waiting.length === 0) await logOut();
    else store.set(isLogoutDialogOpenAtom, true);
  } catch (error) {
    showLogoutError(error);
  }
}

function showLogoutError(error: unknown): void {
  showToast('error', 'Logout failed', errorMessage(error), { topic: 'auth' });
}

/** Sends waiting changes now, even after the automatic attempts to reconnect have stopped. */
export async function sendWaitingChanges(): Promise<void> {
  (await loadEngine()).tryConnection();
}

type LogOutOptions = {
  /** The ids of the waiting ops to discard. */
  discarded?: readonly string[];
  /** The number of waiting ops that are kept on this device, for the toast. */
  keptCount?: number;
};

/** Logs out. Shows the outcome as a toast, and never throws. */
export async function logOut({ discarded = [], keptCount = 0 }: LogOutOptions = {}): Promise<void> {
  store.set(isLogoutDialogOpenAtom, false);
  // Drops received photos as soon as the session has ended on this device: the app may be closed before the server responds.
  const stop = sessionState.subscribe(() => {
    if (sessionState.get().status === 'visitor') void deleteReceivedPhotos();
  });
  try {
    const engine = await loadEngine();
    await (discarded.length === 0 ? engine.logOut('keep') : engine.logOut('discard', discarded));
  } catch (error) {
    // If the session has ended, the user is logged out; data that could not be deleted is deleted at the next start.
    if (sessionState.get().status === 'user') return showLogoutError(error);
  } finally {
    stop();
  }
  // The toast about a deleted draft, whose Undo would restore the draft of this user.
  dismissTopic('draft');
  const verb = keptCount === 1 ? 'is' : 'are';
  const keptText = `${countLabel(keptCount, 'change')} ${verb} kept on this device and sent when you log in again.`;
  const text = `You have been successfully logged out.${keptCount === 0 ? '' : ` ${keptText}`}`;
  showToast('success', 'Logged out', text, { topic: 'auth' });
}
