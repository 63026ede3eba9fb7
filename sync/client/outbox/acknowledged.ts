import type { UserDb } from '#sync/client/db.ts';
import type { Op } from '#sync/operations/registry.ts';

/** How long an acknowledged op is kept, in case the server is restored from a backup that lacks it. */
const ACKNOWLEDGED_KEPT_MS = 6 * 3_600_000;

/** Keeps ops that the server has acknowledged, with their images, for some hours. Runs in the caller's transaction. */
export async function keepAcknowledged(db: UserDb, ops: readonly Op[], nowMs: number): Promise<void> {
  const blobs = await db.opBlobs
    .where('opId')
    .anyOf(ops.map(({ opId }) => opId))
    .toArray();
  await db.acknowledged.bulkPut(
    ops.map((op) => ({
      opId: op.opId,
      acknowledgedAt: nowMs,
      op,
      blobs: blobs.filter(({ opId }) => opId === op.opId),
    })),
  );
  await dropOldAcknowledged(db, nowMs);
}

/**
 * Lets go of the acknowledged ops that have been kept long enough, or were acknowledged so far ahead that the clock has
 * been put back since.
 */
export async function dropOldAcknowledged(db: UserDb, nowMs: number): Promise<void> {
  await db.acknowledged
    .where('acknowledgedAt')
    .below(nowMs - ACKNOWLEDGED_KEPT_MS)
    .or('acknowledgedAt')
    .above(nowMs + ACKNOWLEDGED_KEPT_MS)
    .delete();
}

/**
 * Puts the ops that were acknowledged in the last hours back into the queue, under their old keys: a server that still has
 * them answers as it did, one that was restored from an older backup applies them again. Runs in the caller's transaction.
 */
export async function requeueAcknowledged(db: UserDb, nowMs: number): Promise<void> {
  await dropOldAcknowledged(db, nowMs);
  for (const { op, blobs } of await db.acknowledged.orderBy('acknowledgedAt').toArray()) {
    // In its old place: an op about the same poll may have been queued after it.
    await db.ops.add({
      ...op,
      state: 'queued',
      attempts: 0,
      nextAttemptAt: 0,
      leaseOwner: null,
      leaseUntil: 0,
      lastError: null,
      refusals: 0,
      failedUploads: 0,
      wasTakenOver: false,
      isRepeated: true,
    });
    await db.opBlobs.bulkPut(blobs);
  }
  await db.acknowledged.clear();
}
