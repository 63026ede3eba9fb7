import { errorMessage } from '#app/lib/api/error-message.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { showToast } from '#app/lib/toasts.ts';

/** Loads the blocked users; without an answer those on the device stay. */
export async function pullBlocks(): Promise<void> {
  await (await loadEngine()).pullBlocks().catch(() => 'failed');
}

export async function unblock(username: string): Promise<void> {
  try {
    await (await loadEngine()).queue({ type: 'unblock', payload: { username } });
  } catch (error) {
    showToast('error', `${username} was not unblocked`, errorMessage(error), 'hide');
  }
}
