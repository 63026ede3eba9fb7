import { expect } from 'vitest';
import { brokenRules } from '#api/testing/invariants.ts';
import type { Op } from '#sync/operations/registry.ts';
import { Device, type Person } from './device.ts';
import { checkDevices, contradictions } from './device-invariants.ts';
import { askServer, differences } from './differences.ts';
import { checkEffects } from './effect-invariants.ts';
import { heal, readAll } from './heal.ts';
import { checkHidden } from './hidden-invariants.ts';
import { freshDatabases } from './tab-databases.ts';
import type { World } from './world.ts';

/** The devices of one history that is told by hand. */
export type Stage = {
  devices: Device[];
  deviceOf(person: Person, hasSharedLock?: boolean): Device;
  /** What waits on a device for its person. */
  opsOf(device: Device): Promise<Op[]>;
  /** Everything is sent in the end, and all invariants hold. */
  endWell(): Promise<void>;
};

export function createStage(world: World): Stage {
  freshDatabases();
  world.opFaults.length = 0;
  world.effects.clear();
  const { db } = world.test;
  const devices: Device[] = [];
  return {
    devices,
    deviceOf(person, hasSharedLock = false) {
      const name = `device-${person.user.id}-${devices.length}`;
      const device = new Device(world, { person, name, hasSharedLock, random: () => 0.5 });
      devices.push(device);
      return device;
    },
    opsOf: (device) => device.withDb(device.person.user.id, (own) => own.ops.toArray()),
    async endWell() {
      await Promise.all(devices.map((device) => heal(device)));
      world.dropFeeds();
      const different: string[] = [];
      for (const device of devices) {
        await readAll(device, device.person);
        const shown = await askServer(world, device);
        different.push(...(await differences(world, device, device.person.user.id, shown)));
        different.push(...(await checkHidden(world, device, device.person.user.id, shown)));
        await device.watch();
      }
      expect(await brokenRules(db)).toEqual([]);
      expect(await checkDevices(db, devices)).toEqual([]);
      expect(await checkEffects(world)).toEqual([]);
      expect(different).toEqual([]);
      expect(contradictions(world)).toEqual([]);
      for (const device of devices) device.close();
    },
  };
}
