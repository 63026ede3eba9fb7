import { errorMessage } from '#app/lib/api/error-message.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import type { Engine } from '#sync/client/engine.ts';
import type { Op } from '#sync/operations/registry.ts';

/** How long a discard waits for the current attempt to end; without a network, attempts fail quickly. */
const ATTEMPT_WAIT_MS = 3_000;
const DISCARD_RETRY_INTERVAL_MS = 200;

/** Runs `work`. If that fails, which leaves the outbox as it was, a toast says so. */
async function changeOutbox(failureTitle: string, work: (engine: Engine) => Promise<void>): Promise<void> {
  dismissTopic('outbox');
  try {
    await work(await loadEngine());
  } catch (error) {
    const text = errorMessage(error, 'This device could not save it. Please try again.');
    showToast('error', failureTitle, text, { topic: 'outbox' });
  }
}

/** Discards a change for good. A change that is still being sent after `ATTEMPT_WAIT_MS` is kept, and a toast says so. */
export async function discard(op: Op): Promise<void> {
  await changeOutbox('Your change was not discarded', async (engine) => {
    for (let waitedMs = 0; !(await engine.discard(op.opId)); waitedMs += DISCARD_RETRY_INTERVAL_MS) {
      if (waitedMs >= ATTEMPT_WAIT_MS) {
        showToast('pending', 'This change is being sent', 'It is kept here until the server responds.');
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, DISCARD_RETRY_INTERVAL_MS));
    }
  });
}

/** Queues a refused change again. */
export function tryAgain(op: Op): Promise<void> {
  return changeOutbox('Your change was not sent', (engine) => engine.tryAgain(op.opId));
}

/** Sends a waiting change whose attempts keep failing, without waiting for the next one. */
export function tryNow(op: Op): Promise<void> {
  return changeOutbox('Your change was not sent', (engine) => engine.tryNow(op.opId));
}

/** Fetches a poll into the cache; a failure is ignored. */
export async function fetchPoll(pollId: string): Promise<void> {
  await (await loadEngine()).pullPoll(pollId).catch(() => undefined);
}
