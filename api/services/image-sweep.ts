import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#api/db/client.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { IMAGE_PATH_PREFIX, type ImageStore, nameOfFile, PUBLISH_LOCK_ID } from './image-store.ts';

const SWEEP_INTERVAL_MS = 6 * 3_600_000;
/** Longer than any upload can take, decoding and waiting included. */
const INCOMING_AGE_MAX_MS = 15 * 60_000;
const PAGE_ROWS = 5_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

async function sweepIncoming(folder: string, ageMaxMs: number): Promise<number> {
  let removed = 0;
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    const age = await stat(path).then(
      (info) => Date.now() - info.mtimeMs,
      () => null,
    );
    if (age === null || age < ageMaxMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** Takes out of `orphans` every name that a poll refers to. */
async function keepReferenced(db: Database, orphans: Map<string, string[]>): Promise<void> {
  let after = FIRST_ID;
  while (orphans.size > 0) {
    const rows = await db.sql<{ id: string; image1: string; image2: string }[]>`
      select id, option1_image as image1, option2_image as image2 from polls
      where id > ${after} order by id limit ${PAGE_ROWS}`;
    for (const { id, image1, image2 } of rows) {
      after = id;
      for (const path of [image1, image2]) orphans.delete(path.slice(IMAGE_PATH_PREFIX.length));
    }
    if (rows.length < PAGE_ROWS) return;
  }
}

/**
 * Removes the files that no poll refers to and returns how many. Safe beside uploads of this and other
 * processes: it looks at the folder first, then waits until every transaction that may have published what it
 * saw has ended, and only then asks which names are referred to. `alone` says that no other process uses the
 * folder and nothing is being uploaded (at the start on the embedded database): then unfinished uploads of any
 * age are removed too.
 */
export async function sweepImages(
  store: ImageStore,
  db: Database,
  options: { alone?: boolean } = {},
): Promise<number> {
  const orphans = new Map<string, string[]>();
  for (const file of await readdir(store.uploadsFolder)) {
    const name = nameOfFile(file);
    if (name !== null) orphans.set(name, [...(orphans.get(name) ?? []), file]);
  }
  await inTransaction(db, async (tx) => {
    await tx.sql`select pg_advisory_xact_lock(${PUBLISH_LOCK_ID})`;
  });
  await keepReferenced(db, orphans);
  const files = [...orphans.values()].flat();
  for (const file of files) await rm(join(store.uploadsFolder, file), { force: true });
  const unfinished = await sweepIncoming(store.incomingFolder, options.alone ? 0 : INCOMING_AGE_MAX_MS);
  return files.length + unfinished;
}

/** Sweeps every six hours until the returned function is called. */
export function startImageSweeps(
  store: ImageStore,
  db: Database,
  onError: (error: unknown) => void,
): () => void {
  const timer = setInterval(() => void sweepImages(store, db).catch(onError), SWEEP_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
