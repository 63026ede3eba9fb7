import { v4 as uuidv4 } from 'uuid';
import { countOutbox } from '#sync/client/cache/reads.ts';
import { DATABASE_PREFIX, openDeviceDb, openUserDb, signedInUserId, type UserDb } from '#sync/client/db.ts';
import { dropImages } from '#sync/client/device/image-cache.ts';
import { browserLock } from '#sync/client/device/lock.ts';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { fetchTransport } from '#sync/client/device/transport.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { noTrouble } from '#sync/client/drain/lane-trouble.ts';
import { openExisting } from '#sync/client/open-database.ts';
import { resetBackoff } from '#sync/client/outbox/outbox.ts';
import { LANES } from '#sync/operations/operation.ts';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';
import { isLeftToPage } from './looked-at.ts';
import { noteWaiting } from './note-waiting.ts';

/** Not in the types of every browser, since only Chromium has it. */
type SyncEvent = ExtendableEvent & { readonly tag: string; readonly lastChance: boolean };

/** Sends what waits when the browser has a signal again, with no page open too. */
export function drainInBackground(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('sync', (event) => {
    const { tag, lastChance, waitUntil } = event as SyncEvent;
    if (tag === BACKGROUND_DRAIN_TAG) waitUntil.call(event, drainUnlessWatched(worker, lastChance));
  });
}

/** The last time that the browser asks, it is sent beside any page: drains keep out of each other's way. */
async function drainUnlessWatched(worker: ServiceWorkerGlobalScope, isLastChance: boolean): Promise<void> {
  if (isLastChance || !(await isLeftToPage(worker, somethingWaits))) await drainForLastUser();
}

async function somethingWaits(): Promise<boolean> {
  const userId = await signedInUser();
  const db = await openDatabase(userId);
  if (db === null) return false;
  try {
    return (await db.ops.where('state').anyOf('queued', 'sending').count()) > 0;
  } finally {
    db.close();
  }
}

/** One drain of each lane. Throws while something still waits: the browser then tries again later. */
async function drainForLastUser(): Promise<void> {
  const userId = await signedInUser();
  const db = await openDatabase(userId);
  if (userId === null || db === null) return;
  try {
    // There is a signal again: what waits because nobody answered is due.
    await resetBackoff(db);
    const context = {
      transport: fetchTransport(),
      clock: systemClock,
      lock: browserLock(),
      random: Math.random,
      isOnline: () => navigator.onLine,
      db,
      userId,
      tabId: uuidv4(),
      trouble: noTrouble(),
      storage: { dropImages },
      isSignedIn: async () => (await signedInUser()) === userId,
      emit() {},
      onAnswer() {},
      onBlocked() {},
    };
    const waits = await Promise.allSettled(LANES.map((lane) => drainLane(context, lane)));
    const { waiting, needsYou } = await countOutbox(db);
    await noteWaiting(userId, waiting + needsYou);
    if (waits.some((lane) => lane.status === 'rejected' || lane.value !== null))
      throw new Error('Changes still wait to be sent');
  } finally {
    db.close();
  }
}

async function openDatabase(userId: number | null): Promise<UserDb | null> {
  return userId === null ? null : openExisting(openUserDb(DATABASE_PREFIX, userId), systemClock);
}

async function signedInUser(): Promise<number | null> {
  const device = await openExisting(openDeviceDb(DATABASE_PREFIX), systemClock);
  if (device === null) return null;
  try {
    return await signedInUserId(device);
  } finally {
    device.close();
  }
}
