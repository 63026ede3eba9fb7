import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { FakeClock } from '#sync/testing/fake-clock.ts';

/** The parts of a device that are needed here. */
export type SimulatedDevice = {
  readonly isIdle: boolean;
  readonly clock: FakeClock;
  readonly tabs: readonly ({ readonly databaseOps: number } | null)[];
};

/** Work in progress shows itself within this number of turns of the event loop. */
const IDLE_TURNS = 15;
const IDLE_WITHIN_MS = 30_000;
/** The clock advances in slices so short that each renewal of a lease is stored before the lease expires. */
const SLICE_MS = 5_000;

/** Waits until all tabs are idle, so that only timers are pending. */
export async function untilIdle(devices: readonly SimulatedDevice[]): Promise<void> {
  const startedAt = performance.now();
  for (let idleTurns = 0; idleTurns < IDLE_TURNS; ) {
    const isIdle = devices.every((device) => device.isIdle);
    idleTurns = isIdle ? idleTurns + 1 : 0;
    if (isIdle) await turn();
    else await sleep(1);
    if (performance.now() - startedAt > IDLE_WITHIN_MS) throw new Error('The tabs did not become idle.');
  }
}

/** Waits until the databases of a device are idle; calls may be in flight. */
async function untilDatabasesIdle({ tabs }: SimulatedDevice): Promise<void> {
  for (let idleTurns = 0; idleTurns < IDLE_TURNS; ) {
    idleTurns = tabs.every((tab) => tab === null || tab.databaseOps === 0) ? idleTurns + 1 : 0;
    await turn();
  }
}

/**
 * Returns a function that advances the clock of a device while calls are in flight. Concurrent calls of it take turns, so
 * that no lease expires that its tab would have renewed.
 */
export function clockAdvancer(device: SimulatedDevice): (ms: number) => Promise<void> {
  let slice = Promise.resolve();
  return async (ms) => {
    for (let remainingMs = ms; remainingMs > 0; remainingMs -= SLICE_MS) {
      slice = slice.then(async () => {
        await untilDatabasesIdle(device);
        device.clock.advance(Math.min(remainingMs, SLICE_MS));
        await untilDatabasesIdle(device);
      });
      await slice;
    }
  };
}

/** Advances the clocks of the devices, and waits until they are idle again. */
export async function advanceClocks(devices: readonly SimulatedDevice[], ms: number): Promise<void> {
  for (let remainingMs = ms; remainingMs > 0; remainingMs -= SLICE_MS) {
    // Database operations take no time on the device's clock.
    await Promise.all(devices.map(untilDatabasesIdle));
    for (const { clock } of devices) clock.advance(Math.min(remainingMs, SLICE_MS));
    await untilIdle(devices);
  }
}
