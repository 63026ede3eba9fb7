import { HOUR_MS } from '#shared/time.ts';
import { type Backup, restoreBackup } from './backup.ts';
import type { Device } from './device.ts';
import { untilIdle } from './idle.ts';
import type { World } from './world.ts';

/** A device whose clock was set back deletes ops that were acknowledged further than this in the future. */
const ACKNOWLEDGED_AHEAD_MAX_MS = 6 * HOUR_MS;

/** Restores the server from a backup. Ops acknowledged since the backup must take effect again only if a device still stores them. */
export async function restoreServer(world: World, all: readonly Device[], backup: Backup): Promise<void> {
  const devices = all.filter(({ tabs }) => tabs.length > 0);
  await untilIdle(devices);
  const keysBefore = await keysOfReceipts(world);
  await restoreBackup(world, backup);
  const knownKeys = await keysOfReceipts(world);
  world.effects.keepOnly(knownKeys);
  for (const device of devices) {
    await forgetLostOps(device, knownKeys, keysBefore.difference(knownKeys));
    // Sessions newer than the backup are lost.
    if (device.session !== null && !(await isLoggedIn(world, device))) device.session = null;
  }
}

async function keysOfReceipts({ test }: World): Promise<Set<string>> {
  const receipts = await test.db.sql<{ key: string }[]>`select key from mutation_receipts`;
  return new Set(receipts.map(({ key }) => key));
}

/**
 * Removes from the durable ops those that the device cannot send again. `knownKeys` are the keys whose receipts are in
 * the backup, `lostKeys` are the others.
 */
async function forgetLostOps(
  device: Device,
  knownKeys: ReadonlySet<string>,
  lostKeys: ReadonlySet<string>,
): Promise<void> {
  // An op that was reported as applied may be refused now.
  device.events.length = 0;
  device.wasServerRestored = true;
  for (const userId of device.testUsers.keys()) {
    const waiting = new Set(await device.opIdsOf(userId));
    const latestMs = device.clock.now() + ACKNOWLEDGED_AHEAD_MAX_MS;
    const stored = await device.withDb(userId, (db) =>
      db.acknowledged.where('acknowledgedAt').belowOrEqual(latestMs).primaryKeys(),
    );
    const recent = stored.filter((opId) => !device.deletedAtNextStart.has(opId));
    device.sends.forgetSettled(recent);
    // A response from before the restore to a waiting op may still be in flight.
    const inFlight = [...waiting].filter((opId) => lostKeys.has(opId));
    for (const opId of [...recent, ...inFlight])
      if (device.durableOps.has(opId)) device.notYetRepeated.add(opId);
    for (const [opId, opUserId] of device.durableOps) {
      const isKept = waiting.has(opId) || device.notYetRepeated.has(opId) || knownKeys.has(opId);
      if (opUserId === userId && !isKept) device.durableOps.delete(opId);
    }
  }
}

async function isLoggedIn({ test }: World, { session }: Device): Promise<boolean> {
  const headers = { Cookie: session?.cookie ?? '', 'Sec-Fetch-Site': 'same-origin' };
  return (await test.app.request(`${test.deps.env.publicUrl}/api/user`, { headers })).ok;
}
