import { expect } from 'vitest';
import { brokenRules } from '#api/testing/invariants.ts';
import type { Device } from './device.ts';
import { checkDevices, checkNotifications, contradictions } from './device-invariants.ts';
import { askServer, differences, type Shown } from './differences.ts';
import { checkEffects } from './effect-invariants.ts';
import { heal, noticeRestore, readAll } from './heal.ts';
import { checkHidden, haveContradicted } from './hidden-invariants.ts';
import { deletedPolls, History } from './history.ts';
import type { Setting, Step } from './steps.ts';
import type { World } from './world.ts';

/** How often a call is refused while everything is sent in the end. */
const REFUSED_IN_THE_END_MAX = 6;

/** Plays a history from beginning to end, and checks every invariant afterwards. */
export async function play(world: World, setting: Setting, steps: readonly Step[]): Promise<void> {
  const history = new History(world);
  try {
    await history.begin(
      setting,
      steps.some((step) => step.do === 'restore_backup'),
    );
    for (const [nth, step] of steps.entries()) {
      await history.take(step, nth);
      for (const device of history.devices) await device.watch();
    }
    const devices = history.devices.filter(({ tabs }) => tabs.length > 0);
    await history.endTrouble();
    const { limits, newer, older } = world;
    newer.share = 0;
    limits.left = Math.min(limits.left, REFUSED_IN_THE_END_MAX);
    await Promise.all(devices.map((device) => heal(device, limits.left > 0)));
    limits.left = 0;
    if (older.isOn) await world.replaceServer(false);
    if (history.isRestored) await Promise.all(devices.map(noticeRestore));
    // The counts in the server's buffer of the feed may be a second old.
    world.dropFeeds();
    const shownTo = new Map<number, Promise<Shown>>();
    const different = await Promise.all(devices.map((device) => readAndCompare(world, device, shownTo)));
    expect(await brokenRules(world.test.db, deletedPolls)).toEqual([]);
    expect(await checkDevices(world.test.db, devices)).toEqual([]);
    expect(await checkNotifications(world.test.db, devices)).toEqual([]);
    expect(await checkEffects(world)).toEqual([]);
    if (haveContradicted(devices)) world.happenings.note('two devices of a user hid and showed the same');
    expect(different.flat()).toEqual([]);
    expect(contradictions(world)).toEqual([]);
  } finally {
    for (const device of history.devices) device.close();
  }
}

/** What each user of a device sees there in the end, where it differs from what the server has. */
async function readAndCompare(
  world: World,
  device: Device,
  shownTo: Map<number, Promise<Shown>>,
): Promise<string[]> {
  const found: string[] = [];
  for (const person of device.people.values()) {
    await readAll(device, person);
    const shown = shownTo.get(person.user.id) ?? askServer(world, device);
    shownTo.set(person.user.id, shown);
    found.push(...(await differences(world, device, person.user.id, await shown)));
    found.push(...(await checkHidden(world, device, person.user.id, await shown)));
    await device.watch();
  }
  return found;
}
