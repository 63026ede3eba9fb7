import { loadEngine } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { Op } from '#sync/operations/registry.ts';
import { withdrawAskedAtom } from './atoms.ts';

/** Removes a change for good. One that has just gone out stays until its answer is there. */
export async function discard(op: Op): Promise<void> {
  store.set(withdrawAskedAtom, null);
  const isGone = await (await loadEngine()).discard(op.opId);
  if (!isGone) showToast('waiting', 'It is being sent right now', 'It stays here until the answer is there.');
}

export async function tryAgain(op: Op): Promise<void> {
  await (await loadEngine()).tryAgain(op.opId);
}

/** Sends a poll that keeps failing now. */
export async function tryNow(op: Op): Promise<void> {
  await (await loadEngine()).tryNow(op.opId);
}

/** Asks before a change is withdrawn that could still arrive. */
export function askToWithdraw(op: Op): void {
  store.set(withdrawAskedAtom, op);
}

/** Fetches the poll of a vote when this device has forgotten it. */
export async function fetchPoll(pollId: string): Promise<void> {
  await (await loadEngine()).pullPoll(pollId).catch(() => 'failed');
}
