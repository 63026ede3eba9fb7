import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepExports } from '#api/accounts/leaving/export-files.ts';
import type { Database } from '#api/db/client.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { fileNames, nameOfFile, nameOfPath, PUBLISH_LOCK_ID } from '#api/images/image-store.ts';
import { listImages } from '#api/polls/queries.ts';
import { ageMsOf, inBatches } from '#api/storage/durable-files.ts';
import type { ImageStorage } from '#api/storage/image-storage.ts';
import { HOUR_MS } from '#shared/time.ts';
import { every } from './housekeeping.ts';

/** Longer than any upload takes, including queueing and decoding. */
const INCOMING_AGE_MAX_MS = 15 * 60_000;
const PAGE_ROWS = 5_000;
/** Images, of two files each. */
const CONCURRENT_REMOVALS = 8;
/** A database that uses none of at least this many stored images is most likely not the one that they belong to. */
const FOREIGN_IMAGES_MIN = 20;
/** No image is deleted until the database's epoch is this old: time to notice that it was created or restored by mistake. */
const NEW_EPOCH_DAYS = 7;

/** Deletes unfinished uploads that are at least this old, and folders, which a killed process may have left. */
export async function sweepIncoming(folder: string, ageMaxMs: number): Promise<void> {
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    if ((await ageMsOf(path)) >= ageMaxMs) await rm(path, { recursive: true, force: true });
  }
}

/** Removes from `orphans` every name that a poll refers to. */
async function dropReferenced(db: Database, orphans: Set<string>, signal: AbortSignal): Promise<void> {
  let after: string | null = null;
  while (orphans.size > 0) {
    signal.throwIfAborted();
    const rows = await listImages(db, after, PAGE_ROWS);
    for (const { id, image1, image2 } of rows) {
      after = id;
      for (const path of [image1, image2]) orphans.delete(nameOfPath(path) ?? '');
    }
    if (rows.length < PAGE_ROWS) return;
  }
}

/**
 * Deletes published images that no poll refers to and returns their number. Safe during uploads of any process: it lists the
 * files, then waits for every transaction that may have published one of these files, and only then reads the references. Throws,
 * and deletes nothing, if the database uses none of many images. `signal` ends it early.
 */
export async function sweepImages(
  storage: ImageStorage,
  db: Database,
  signal = new AbortController().signal,
): Promise<number> {
  /** The names of the published images; `dropReferenced` leaves only the orphans. There may be millions. */
  const orphans = new Set<string>();
  for await (const file of storage.listPublished()) {
    signal.throwIfAborted();
    const name = nameOfFile(file);
    if (name !== null) orphans.add(name);
  }
  await inTransaction(db, async (tx) => {
    // The builder has no advisory locks.
    await tx.sql`select pg_advisory_xact_lock(${PUBLISH_LOCK_ID})`;
  });
  const imageCount = orphans.size;
  await dropReferenced(db, orphans, signal);
  if (imageCount >= FOREIGN_IMAGES_MIN && orphans.size === imageCount) {
    throw new Error(
      `None of the ${imageCount} stored images belongs to a poll: they seem to be those of another database`,
    );
  }
  const remove = (name: string) => {
    signal.throwIfAborted();
    return storage.remove(fileNames(name));
  };
  await inBatches([...orphans], remove, CONCURRENT_REMOVALS);
  return orphans.size;
}

/**
 * Whether the database was created or restored (which renews the epoch) at least `NEW_EPOCH_DAYS` ago. Until then its orphans may
 * be images of the database that the server should have been started with.
 */
async function hasOldEpoch({ sql }: Database): Promise<boolean> {
  const rows = await sql`
    select from server_state where epoch_began_at < now() - make_interval(days => ${NEW_EPOCH_DAYS})`;
  return rows.count > 0;
}

type SweepDeps = Pick<Deps, 'images' | 'jobFiles' | 'cards' | 'db' | 'env'>;

/**
 * Deletes unused files of every kind: unfinished uploads, files of jobs, exports, card images, and images once the epoch is a
 * week old. `signal` ends it early.
 */
export async function sweepFiles(
  { images: store, jobFiles, cards, db, env }: SweepDeps,
  signal?: AbortSignal,
): Promise<void> {
  await sweepIncoming(store.incomingFolder, INCOMING_AGE_MAX_MS);
  await jobFiles.sweep(db);
  await sweepExports(env.dataDir, db);
  await cards.sweep(db);
  // Last, because the image storage may be unavailable.
  if (await hasOldEpoch(db)) await sweepImages(store.storage, db, signal);
}

/**
 * Deletes unused files now and every hour in the background, until the returned function is called. On the embedded database,
 * which only one process uses, the unfinished files of an earlier process are deleted before the promise resolves: await it before
 * the server listens.
 */
export async function startFileSweeps(
  deps: SweepDeps,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const { db, images, jobFiles } = deps;
  if (db.kind === 'embedded') {
    await sweepIncoming(images.incomingFolder, 0);
    await jobFiles.sweep(db, 0);
  }
  return every(HOUR_MS, onError, (signal) => sweepFiles(deps, signal));
}
