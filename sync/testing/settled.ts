import { setImmediate as turn } from 'node:timers/promises';

/** More turns of the event loop than any work with a fake database and fake responses takes. */
const TURNS = 1_000;

/** Waits until pending work has finished. Counts turns of the event loop instead of time, so that slow machines work too. */
export async function settled(): Promise<void> {
  for (let count = 0; count < TURNS; count += 1) await turn();
}
