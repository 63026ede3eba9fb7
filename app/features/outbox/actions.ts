import { loadEngine } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { Op } from '#sync/operations/registry.ts';
import { opToDiscardAtom } from './atoms.ts';

/** An attempt fails within moments where there is no network, so a discard waits that long for its end. */
const ATTEMPT_ENDS_WITHIN_MS = 3_000;
const RETRY_DISCARD_MS = 200;

/** Discards a change for good. One that is being sent stays until the server has answered. */
export async function discard(op: Op): Promise<void> {
  store.set(opToDiscardAtom, null);
  const engine = await loadEngine();
  let isGone = await engine.discard(op.opId);
  for (let waitedMs = 0; !isGone && waitedMs < ATTEMPT_ENDS_WITHIN_MS; waitedMs += RETRY_DISCARD_MS) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_DISCARD_MS));
    isGone = await engine.discard(op.opId);
  }
  if (!isGone)
    showToast('pending', 'This change is being sent', 'It stays here until the server has answered.');
}

export async function tryAgain(op: Op): Promise<void> {
  await (await loadEngine()).tryAgain(op.opId);
}

export async function tryNow(op: Op): Promise<void> {
  await (await loadEngine()).tryNow(op.opId);
}

export function confirmDiscard(op: Op): void {
  store.set(opToDiscardAtom, op);
}

export async function fetchPoll(pollId: string): Promise<void> {
  await (await loadEngine()).pullPoll(pollId).catch(() => 'failed');
}
