import { v4 as uuidv4 } from 'uuid';
import { DATABASE_PREFIX, openDeviceDb, openUserDb } from '#sync/client/db.ts';
import { drainLane } from '#sync/client/drain.ts';
import { noTrouble } from '#sync/client/lane-trouble.ts';
import { browserLock } from '#sync/client/lock.ts';
import { systemClock } from '#sync/client/system-clock.ts';
import { fetchTransport } from '#sync/client/transport.ts';
import { LANES } from '#sync/protocol/op.ts';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';

/** Not in the types of every browser, since only Chromium has it. */
type SyncEvent = ExtendableEvent & { readonly tag: string };

/** Sends what waits when the browser has a signal again, with no page open too. */
export function drainInBackground(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('sync', (event) => {
    const { tag, waitUntil } = event as SyncEvent;
    if (tag === BACKGROUND_DRAIN_TAG) waitUntil.call(event, drainUnlessWatched(worker));
  });
}

/** A page that is looked at sends for itself, and tells the person what became of it. */
async function drainUnlessWatched(worker: ServiceWorkerGlobalScope): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window' });
  if (!pages.some((page) => page.visibilityState === 'visible')) await drainForLastUser();
}

/** One drain of each lane. Throws while something still waits: the browser then tries again later. */
async function drainForLastUser(): Promise<void> {
  const device = openDeviceDb(DATABASE_PREFIX);
  const signedOut = await device.entries.get('signedOut');
  const last = await device.entries.get('lastUserId');
  device.close();
  if (last === undefined || signedOut !== undefined) return;

  const db = openUserDb(DATABASE_PREFIX, last.value);
  try {
    const context = {
      transport: fetchTransport(),
      clock: systemClock,
      lock: browserLock(),
      random: Math.random,
      db,
      userId: last.value,
      owner: uuidv4(),
      trouble: noTrouble(),
      emit() {},
      onAnswer() {},
      onBlocked() {},
    };
    const waits = await Promise.allSettled(LANES.map((lane) => drainLane(context, lane)));
    if (waits.some((lane) => lane.status === 'rejected' || lane.value !== null))
      throw new Error('Changes still wait to be sent');
  } finally {
    db.close();
  }
}
