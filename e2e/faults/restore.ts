import { HOUR_MS } from '#shared/time.ts';
import { type Backup, restoreBackup } from './backup.ts';
import type { Device } from './device.ts';
import { untilQuiet } from './quiet.ts';
import type { World } from './world.ts';

/** What a device acknowledged further ahead was so before its clock was put back: it keeps that no more. */
const ACKNOWLEDGED_AHEAD_MAX_MS = 6 * HOUR_MS;

/** The server goes back to a backup. Of what it has acknowledged since only that is promised which devices still keep. */
export async function restoreServer(world: World, all: readonly Device[], backup: Backup): Promise<void> {
  const devices = all.filter(({ tabs }) => tabs.length > 0);
  await untilQuiet(devices);
  const former = await keysOfReceipts(world);
  await restoreBackup(world, backup);
  const known = await keysOfReceipts(world);
  world.effects.keepOnly(known);
  for (const device of devices) {
    await forgetLost(device, known, former.difference(known));
    // Whoever logged in after the backup was taken has to log in again.
    if (device.session !== null && !(await isLoggedIn(world, device))) device.session = null;
  }
}

async function keysOfReceipts({ test }: World): Promise<Set<string>> {
  const receipts = await test.db.sql<{ key: string }[]>`select key from mutation_receipts`;
  return new Set(receipts.map(({ key }) => key));
}

/** `known`: the keys whose receipts the backup has; `lost`: those that only the former server had. */
async function forgetLost(
  device: Device,
  known: ReadonlySet<string>,
  lost: ReadonlySet<string>,
): Promise<void> {
  // What was told as done may be refused now.
  device.events.length = 0;
  device.wasRestored = true;
  for (const userId of device.people.keys()) {
    const waiting = new Set(await device.opIdsOf(userId));
    const latestMs = device.clock.now() + ACKNOWLEDGED_AHEAD_MAX_MS;
    const stored = await device.withDb(userId, (db) =>
      db.acknowledged.where('acknowledgedAt').belowOrEqual(latestMs).primaryKeys(),
    );
    const kept = stored.filter((opId) => !device.leftBehind.has(opId));
    device.sends.forgetSettled(kept);
    // The former server's answer to a waiting op may still be on its way.
    const answered = [...waiting].filter((opId) => lost.has(opId));
    for (const opId of [...kept, ...answered]) if (device.promised.has(opId)) device.unrepeated.add(opId);
    for (const [opId, owner] of device.promised) {
      const isThere = waiting.has(opId) || device.unrepeated.has(opId) || known.has(opId);
      if (owner === userId && !isThere) device.promised.delete(opId);
    }
  }
}

async function isLoggedIn({ test }: World, { session }: Device): Promise<boolean> {
  const headers = { Cookie: session?.cookie ?? '', 'Sec-Fetch-Site': 'same-origin' };
  return (await test.app.request(`${test.deps.env.publicUrl}/api/user`, { headers })).ok;
}
