import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { FakeClock } from '#sync/testing/fake-clock.ts';

/** What can be waited for of a device. */
export type Waiting = {
  readonly isIdle: boolean;
  readonly clock: FakeClock;
  readonly tabs: readonly ({ readonly databaseOps: number } | null)[];
};

/** Between two steps of the same work there are fewer turns of the event loop than this. */
const QUIET_TURNS = 15;
const QUIET_WITHIN_MS = 30_000;
/** A renewal of a lease must have been stored before the clock moves on past it. */
const SLICE_MS = 5_000;

/** Waits until nothing goes on in any tab but waiting for the clock. */
export async function untilQuiet(devices: readonly Waiting[]): Promise<void> {
  const startedAt = performance.now();
  for (let quietTurns = 0; quietTurns < QUIET_TURNS; ) {
    const isQuiet = devices.every((device) => device.isIdle);
    quietTurns = isQuiet ? quietTurns + 1 : 0;
    if (isQuiet) await turn();
    else await sleep(1);
    if (performance.now() - startedAt > QUIET_WITHIN_MS) throw new Error('The tabs never came to rest.');
  }
}

/** Waits until nothing goes on in the databases of a device; calls may be under way. */
async function untilStored({ tabs }: Waiting): Promise<void> {
  for (let quietTurns = 0; quietTurns < QUIET_TURNS; ) {
    quietTurns = tabs.every((tab) => tab === null || tab.databaseOps === 0) ? quietTurns + 1 : 0;
    await turn();
  }
}

/**
 * Lets time pass on a device while calls are under way. Never so much at once, however many calls take their time, that
 * a lease runs out which its tab would have renewed.
 */
export function passingTime(device: Waiting): (ms: number) => Promise<void> {
  let slice = Promise.resolve();
  return async (ms) => {
    for (let left = ms; left > 0; left -= SLICE_MS) {
      slice = slice.then(async () => {
        await untilStored(device);
        device.clock.advance(Math.min(left, SLICE_MS));
        await untilStored(device);
      });
      await slice;
    }
  };
}

/** Lets time pass on the devices, and all that it sets off. */
export async function passTime(devices: readonly Waiting[], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= SLICE_MS) {
    // What the databases are at takes no time on the device, however slow this machine is.
    await Promise.all(devices.map(untilStored));
    for (const { clock } of devices) clock.advance(Math.min(left, SLICE_MS));
    await untilQuiet(devices);
  }
}
