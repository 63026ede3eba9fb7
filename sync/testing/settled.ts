import { setImmediate as turn } from 'node:timers/promises';

/** More turns of the event loop than any work takes that only waits for a fake database and fake responses. */
const TURNS = 1_000;

/** Waits until pending work has finished. It counts turns of the event loop, not time, so that slow machines get as many. */
export async function settled(): Promise<void> {
  for (let count = 0; count < TURNS; count += 1) await turn();
}
