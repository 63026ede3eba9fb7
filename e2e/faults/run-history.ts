import { expect } from 'vitest';
import { violatedInvariants } from '#api/testing/invariants.ts';
import type { Device } from './device.ts';
import { checkDevices, checkNotifications, conflictingResponses } from './device-invariants.ts';
import { findDifferences, readFromServer, type ServerLists } from './differences.ts';
import { checkEffects } from './effect-invariants.ts';
import { detectRestore, heal, readAll } from './heal.ts';
import { checkHidden, haveOppositeVisibilityChanges } from './hidden-invariants.ts';
import { deletedPolls, History } from './history.ts';
import type { Setting, Step } from './steps.ts';
import type { World } from './world.ts';

/** The maximum number of calls refused by rate limits while the remaining ops are sent. */
const REFUSED_AT_THE_END_MAX = 6;

/** Runs a history, sends the remaining ops, and checks all invariants. */
export async function runHistory(world: World, setting: Setting, steps: readonly Step[]): Promise<void> {
  const history = new History(world);
  const hasRestore = steps.some((step) => step.do === 'restore_backup');
  try {
    await history.start(setting, hasRestore);
    for (const [stepIndex, step] of steps.entries()) {
      await history.apply(step, stepIndex);
      for (const device of history.devices) await device.checkRevisions();
    }
    const devices = history.devices.filter(({ tabs }) => tabs.length > 0);
    await history.cancelFaults();
    const { limits, newer, older } = world;
    newer.unknownShare = 0;
    limits.refusalsLeft = Math.min(limits.refusalsLeft, REFUSED_AT_THE_END_MAX);
    await Promise.all(devices.map((device) => heal(device, { hasRateLimits: limits.refusalsLeft > 0 })));
    limits.refusalsLeft = 0;
    if (older.isOn) await world.switchServer('current');
    if (history.wasServerRestored) await Promise.all(devices.map(detectRestore));
    // The lists that the servers have cached may be a second old.
    world.dropListCaches();
    const listsByUser = new Map<number, Promise<ServerLists>>();
    const differences = await Promise.all(
      devices.map((device) => readAndCompare(world, device, listsByUser)),
    );
    expect(await violatedInvariants(world.test.db, deletedPolls)).toEqual([]);
    expect(await checkDevices(world.test.db, devices)).toEqual([]);
    expect(await checkNotifications(world.test.db, devices)).toEqual([]);
    expect(await checkEffects(world)).toEqual([]);
    if (haveOppositeVisibilityChanges(devices))
      world.coverage.record('one device of a user hid something and another showed it again');
    expect(differences.flat()).toEqual([]);
    expect(conflictingResponses(world)).toEqual([]);
  } finally {
    for (const device of history.devices) device.close();
  }
}

/** Reads all lists as each user of a device, and describes differences between the device and the server. */
async function readAndCompare(
  world: World,
  device: Device,
  listsByUser: Map<number, Promise<ServerLists>>,
): Promise<string[]> {
  const violations: string[] = [];
  for (const testUser of device.testUsers.values()) {
    await readAll(device, testUser);
    const serverLists = listsByUser.get(testUser.user.id) ?? readFromServer(world, device);
    listsByUser.set(testUser.user.id, serverLists);
    violations.push(...(await findDifferences(world, device, testUser.user.id, await serverLists)));
    violations.push(...(await checkHidden(world, device, testUser.user.id, await serverLists)));
    await device.checkRevisions();
  }
  return violations;
}
