import { setImmediate as turn } from 'node:timers/promises';

/** More turns of the event loop than any work takes that waits for nothing but a fake database and fake answers. */
const TURNS = 1_000;

/** Everything under way has come to rest. Counted in turns of the event loop, so that a slow machine has as many. */
export async function settled(): Promise<void> {
  for (let count = 0; count < TURNS; count += 1) await turn();
}
