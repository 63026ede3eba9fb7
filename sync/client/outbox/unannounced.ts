import type { UserDb } from '#sync/client/db.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { Op } from '#sync/operations/registry.ts';

/** Marks a refused op whose outcome no tab has received. */
export async function markUnannounced(db: UserDb, opId: string): Promise<void> {
  await db.ops.where('opId').equals(opId).modify({ isUnannounced: true });
}

async function readUnannounced(db: UserDb): Promise<Op[]> {
  const rejected = await db.ops.where('state').equals('rejected').toArray();
  return rejected.filter(({ isUnannounced }) => isUnannounced === true);
}

/** Counts the refusals that no tab has announced. */
export async function countUnannounced(db: UserDb): Promise<number> {
  return (await readUnannounced(db)).length;
}

/** Returns the refusals that no tab has announced, and removes their marks, so that each is returned once. */
export async function takeUnannounced(db: UserDb): Promise<EngineEvent[]> {
  return db.transaction('rw', db.ops, async () => {
    const unannounced = await readUnannounced(db);
    await db.ops.bulkPut(unannounced.map((op) => ({ ...op, isUnannounced: false })));
    return unannounced.flatMap((op): EngineEvent[] =>
      op.lastError === null ? [] : [{ type: 'rejected', op, error: op.lastError }],
    );
  });
}
