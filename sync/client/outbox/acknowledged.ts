import { HOUR_MS } from '#shared/time.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Op } from '#sync/operations/registry.ts';
import { STARTED_OVER_FIELDS } from '#sync/protocol/op.ts';

/** How long an acknowledged op is kept, in case the server is restored from a backup that lacks it. */
const ACKNOWLEDGED_KEPT_MS = 6 * HOUR_MS;

/** Keeps acknowledged ops with their images. Runs in the caller's transaction. */
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
 * Deletes acknowledged ops that have been kept long enough, or whose time is so far ahead that the clock must have been set
 * back.
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
 * Queues the acknowledged ops again under their old keys. A server that still has their receipts repeats its responses; a
 * server that was restored from an older backup applies the ops again. Runs in the caller's transaction.
 */
export async function requeueAcknowledged(db: UserDb, nowMs: number): Promise<void> {
  await dropOldAcknowledged(db, nowMs);
  for (const { op, blobs } of await db.acknowledged.orderBy('acknowledgedAt').toArray()) {
    // The old `seq` is kept, because a later op about the same poll may be queued.
    await db.ops.add({ ...op, ...STARTED_OVER_FIELDS, isRepeated: true });
    await db.opBlobs.bulkPut(blobs);
  }
  await db.acknowledged.clear();
}
