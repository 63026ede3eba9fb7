import { expect } from 'vitest';
import { violatedInvariants } from '#api/testing/invariants.ts';
import type { Op } from '#sync/operations/registry.ts';
import { Device, type DeviceOptions, type TestUser } from './device.ts';
import { checkDevices, conflictingResponses } from './device-invariants.ts';
import { findDifferences, readFromServer } from './differences.ts';
import { checkEffects } from './effect-invariants.ts';
import { heal, readAll } from './heal.ts';
import { checkHidden } from './hidden-invariants.ts';
import { resetDatabases } from './tab-databases.ts';
import type { World } from './world.ts';

/** Longer than a lease and than the pause before the next attempt, which are at most 30 s each. */
export const NEXT_ATTEMPT_WITHIN_MS = 31_000;

/** The devices of one hand-written history. */
export type Scenario = {
  devices: Device[];
  addDevice(testUser: TestUser, options?: Partial<Omit<DeviceOptions, 'testUser' | 'random'>>): Device;
  /** The queued ops of the device's user. */
  queuedOps(device: Device): Promise<Op[]>;
  /** The number of votes of the device's user that the server has. */
  votesOf(device: Device): Promise<number>;
  /**
   * Sends everything that is queued, expects that no invariant is violated and that each device shows the data of the server,
   * and closes and removes the devices.
   */
  finish(): Promise<void>;
};

export function createScenario(world: World): Scenario {
  resetDatabases();
  world.opFaults.length = 0;
  world.effects.clear();
  const { db } = world.test;
  const devices: Device[] = [];
  return {
    devices,
    addDevice(testUser, options) {
      const name = `device-${testUser.user.id}-${devices.length}`;
      const device = new Device(world, { name, ...options, testUser, random: () => 0.5 });
      devices.push(device);
      return device;
    },
    queuedOps: (device) => device.withDb(device.testUser.user.id, (own) => own.ops.toArray()),
    async votesOf({ testUser }) {
      const [{ count }] = await db.sql<[{ count: number }]>`
        select count(*)::int as count from votes where user_id = ${testUser.user.id}`;
      return count;
    },
    async finish() {
      await Promise.all(devices.map((device) => heal(device)));
      world.dropListCaches();
      const differences: string[] = [];
      for (const device of devices) {
        await readAll(device, device.testUser);
        const serverLists = await readFromServer(world, device);
        differences.push(...(await findDifferences(world, device, device.testUser.user.id, serverLists)));
        differences.push(...(await checkHidden(world, device, device.testUser.user.id, serverLists)));
        await device.checkRevisions();
      }
      expect(await violatedInvariants(db)).toEqual([]);
      expect(await checkDevices(db, devices)).toEqual([]);
      expect(await checkEffects(world)).toEqual([]);
      expect(differences).toEqual([]);
      expect(conflictingResponses(world)).toEqual([]);
      for (const device of devices.splice(0)) device.close();
    },
  };
}
