import { v4 as uuidv4 } from 'uuid';
import { countOutbox } from '#sync/client/cache/reads.ts';
import { DATABASE_PREFIX, openUserDb, type UserDb } from '#sync/client/db.ts';
import { cacheOwnImages, dropImages } from '#sync/client/device/image-cache.ts';
import { browserLock } from '#sync/client/device/lock.ts';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { fetchTransport } from '#sync/client/device/transport.ts';
import { drainLane, noBackoff } from '#sync/client/drain/drain.ts';
import type { DrainContext } from '#sync/client/drain/drain-context.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import { openExisting } from '#sync/client/open-database.ts';
import { resetOpBackoff } from '#sync/client/outbox/outbox.ts';
import { markUnannounced } from '#sync/client/outbox/unannounced.ts';
import { LANES, type Lane } from '#sync/operations/operation.ts';
import { createsPoll } from '#sync/operations/registry.ts';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';
import { readLoggedInUserId } from './logged-in-user-id.ts';
import { storeOutboxCount } from './store-outbox-count.ts';

/** The event of the Background Sync API, which only Chromium has and TypeScript's library lacks. */
type SyncEvent = ExtendableEvent & { readonly tag: string; readonly lastChance: boolean };

/** Sends waiting changes when the browser is online again, even if no page is open. */
export function drainInBackground(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('sync', (event) => {
    const syncEvent = event as SyncEvent;
    if (syncEvent.tag === BACKGROUND_DRAIN_TAG)
      syncEvent.waitUntil(drainUnlessPageSends(worker, syncEvent.lastChance));
  });
}

/** On the browser's last attempt, drains even if a page is visible: locks and leases exclude concurrent drains. */
async function drainUnlessPageSends(worker: ServiceWorkerGlobalScope, isLastChance: boolean): Promise<void> {
  if (isLastChance || !(await letPageSend(worker))) await withUserDb(drainUserDb);
}

/** Runs `work` with the database of the logged-in user. Resolves with null if nobody is logged in or there is no database. */
async function withUserDb<Result>(
  work: (db: UserDb, userId: number) => Promise<Result>,
): Promise<Result | null> {
  const userId = await readLoggedInUserId();
  if (userId === null) return null;
  const db = await openExisting(openUserDb(DATABASE_PREFIX, userId), systemClock);
  if (db === null) return null;
  try {
    return await work(db, userId);
  } finally {
    db.close();
  }
}

async function hasWaitingOps(): Promise<boolean> {
  const count = await withUserDb((db) => db.ops.where('state').anyOf('queued', 'sending').count());
  return (count ?? 0) > 0;
}

/**
 * Drains a lane, and once more if an op has failed and so has ended the drain: the others are then sent before it. Only the
 * back-off of this wake-up knows that order. Goes on after each further failure that is a failed upload; after another one, the
 * server probably cannot be reached.
 */
async function drainPastFailures(context: DrainContext, lane: Lane): Promise<number | null> {
  const { db, backoff } = context;
  const failedBefore = new Map((await db.ops.toArray()).map((op) => [op.seq, op.failedUploads ?? 0]));
  let waitMs = await drainLane(context, lane);
  let failedSeq = 0;
  while (backoff[lane].lastFailedSeq > failedSeq) {
    const isFirstFailure = failedSeq === 0;
    failedSeq = backoff[lane].lastFailedSeq;
    const { failedUploads = 0 } = (await db.ops.get(failedSeq)) ?? {};
    if (!isFirstFailure && failedUploads <= (failedBefore.get(failedSeq) ?? 0)) break;
    waitMs = await drainLane(context, lane);
  }
  return waitMs;
}

/** Stores what pages need of an outcome that none of them has received. */
async function keepForPages(db: UserDb, event: EngineEvent): Promise<void> {
  const { opId } = event.op;
  if (event.type === 'rejected') return markUnannounced(db, opId);
  if (event.type !== 'applied' || event.poll === null || !createsPoll(event.op)) return;
  const acknowledged = await db.acknowledged.get(opId);
  await cacheOwnImages(event.poll, acknowledged?.blobs ?? []);
}

/** Drains each lane. Throws if an op still waits, so that the browser tries again later. */
async function drainUserDb(db: UserDb, userId: number): Promise<void> {
  // The browser is online again, so earlier network failures no longer count.
  await resetOpBackoff(db);
  /** Each is fulfilled even if it fails: then a refusal is not announced, or images are loaded from the server. */
  const keeping: Promise<void>[] = [];
  const context = {
    transport: fetchTransport(),
    clock: systemClock,
    lock: browserLock(),
    random: Math.random,
    isOnline: () => navigator.onLine,
    db,
    userId,
    tabId: uuidv4(),
    backoff: noBackoff(),
    storage: { dropImages },
    isLoggedIn: async () => (await readLoggedInUserId()) === userId,
    emit: (event: EngineEvent) => void keeping.push(keepForPages(db, event).catch(() => {})),
    onBlocked() {},
  };
  const drains = await Promise.allSettled(LANES.map((lane) => drainPastFailures(context, lane)));
  await Promise.all(keeping);
  const { waiting, needsDecision } = await countOutbox(db);
  await storeOutboxCount(userId, waiting + needsDecision);
  if (drains.some((drain) => drain.status === 'rejected' || drain.value !== null))
    throw new Error('Changes still wait to be sent');
}

/** A visible page sends waiting changes within this time, unless it has no network. */
const PAGE_SEND_TIMEOUT_MS = 5_000;

async function isPageVisible(worker: ServiceWorkerGlobalScope): Promise<boolean> {
  const pages = await worker.clients.matchAll({ type: 'window' });
  return pages.some((page) => page.visibilityState === 'visible');
}

/**
 * Leaves the waiting changes to a visible page, which can show the outcomes, for up to `PAGE_SEND_TIMEOUT_MS`. Resolves with
 * whether it has sent them. Throws if the page is still visible but has not, so that the browser wakes the worker again later,
 * when the page may have been closed.
 */
async function letPageSend(worker: ServiceWorkerGlobalScope): Promise<boolean> {
  if (!(await isPageVisible(worker))) return false;
  if (!(await hasWaitingOps())) return true;
  await new Promise((resolve) => setTimeout(resolve, PAGE_SEND_TIMEOUT_MS));
  if (!(await hasWaitingOps())) return true;
  if (await isPageVisible(worker)) throw new Error('Changes still wait to be sent by a page');
  return false;
}
