import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { ZipFile } from 'yazl';
import type { Database, Handle } from '#api/db/client.ts';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { type ImageStore, nameOfPath } from '#api/images/image-store.ts';
import { createLeaseRunner, type LeaseRunner } from '#api/jobs/lease-runner.ts';
import { type Lease, type Queue, releaseLease, retryDelayS } from '#api/jobs/leases.ts';
import { exportPath } from './export-files.ts';
import { collectPersonalData } from './personal-data.ts';

const QUEUE: Queue = {
  table: 'data_exports',
  endedAt: 'ended_at',
  leaseS: 30,
  columns: 'leased.id, lease, user_id as "userId", attempts',
  countsLostLeases: true,
};
const ATTEMPTS_MAX = 8;
const RETRY = { firstS: 5, maxS: 60 };
const STOP_WITHIN_MS = 1_000;
const PROGRESS_INTERVAL_MS = 500;

type LeasedExport = Lease & { id: string; userId: number; attempts: number };

type ExportRunnerOptions = {
  db: Database;
  log: Logger;
  images: Pick<ImageStore, 'holds' | 'open'>;
  dataDir: string;
};

const hasLeaseOf = ({ id, lease }: LeasedExport) => and(eq(dataExports.id, id), eq(dataExports.lease, lease));

/**
 * Writes the exports that users have requested, one at a time in each process. An export whose process was killed is restarted, up to `ATTEMPTS_MAX` times.
 */
export function createExportRunner({ db, log, images, dataDir }: ExportRunnerOptions): LeaseRunner {
  async function run(item: LeasedExport, signal: AbortSignal): Promise<void> {
    try {
      if (item.attempts >= ATTEMPTS_MAX) throw new Error('The last attempt ended without an outcome');
      await writeExport(item, signal);
    } catch (err) {
      if (signal.aborted) {
        await releaseLease(db, QUEUE, item);
        return;
      }
      const attempts = item.attempts + 1;
      log.warn({ err, exportId: item.id, attempts }, 'An export could not be written');
      if (attempts < ATTEMPTS_MAX) await releaseLease(db, QUEUE, item, retryDelayS(attempts, RETRY));
      else await endExport(db, item, null);
    }
  }

  /**
   * Records that an export has ended, with the size of its file, or null if it failed. False if another process has leased the
   * export since, or its user was deleted.
   */
  async function endExport({ orm }: Handle, item: LeasedExport, bytes: number | null): Promise<boolean> {
    const ended = await orm
      .update(dataExports)
      .set({ endedAt: sql`now()`, bytes, lease: null, leasedUntil: null })
      .where(hasLeaseOf(item));
    return ended.count === 1;
  }

  async function writeExport(item: LeasedExport, signal: AbortSignal): Promise<void> {
    const { data, images: paths } = await collectPersonalData(db, item.userId);
    const names: string[] = [];
    for (const path of paths) {
      signal.throwIfAborted();
      const name = nameOfPath(path);
      // Images whose files are missing in the storage are left out.
      if (name !== null && (await images.holds(path))) names.push(name);
    }
    const file = exportPath(dataDir, item.id);
    const partialFile = `${file}.${item.lease}`;
    // One more than the images, so that 100 % is not shown before the file is complete.
    const total = names.length + 1;
    let done = 0;
    const saveProgress = () =>
      db.orm
        .update(dataExports)
        .set({ done, total })
        .where(hasLeaseOf(item))
        // A failure does no harm: progress is only displayed.
        .catch(() => {});
    const timer = setInterval(saveProgress, PROGRESS_INTERVAL_MS);
    const reading = new AbortController();
    try {
      const zip = new ZipFile();
      zip.addBuffer(Buffer.from(JSON.stringify(data, null, 2)), 'data.json');
      const output = createWriteStream(partialFile, { mode: 0o600, flush: true });
      for (const name of names) {
        zip.addReadStreamLazy(`images/${name}`, { compress: false }, (callback) => {
          done += 1;
          readImage(name, reading.signal).then(
            // `pipe`, which yazl uses, ignores errors of the stream that it reads.
            (stream) =>
              callback(
                null,
                stream.on('error', (error) => output.destroy(error)),
              ),
            (error: unknown) => callback(error, Readable.from([])),
          );
        });
      }
      zip.end();
      zip.on('error', (error: Error) => output.destroy(error));
      await pipeline(zip.outputStream, output, { signal });
      const { size } = await stat(partialFile);
      // The lock on the row keeps other processes from leasing or deleting the export before its file is in place.
      await inTransaction(db, async (tx) => {
        if (await endExport(tx, item, size)) await rename(partialFile, file);
      });
    } finally {
      clearInterval(timer);
      reading.abort();
      await rm(partialFile, { force: true });
    }
  }

  async function readImage(name: string, signal: AbortSignal): Promise<Readable> {
    const image = await images.open(name, 'large');
    if (image === null) throw new Error('An image was removed during the export');
    return Readable.fromWeb(image.stream() as never, { signal });
  }

  return createLeaseRunner<LeasedExport>({
    db,
    log,
    queue: QUEUE,
    lanes: [{ concurrency: 1 }],
    run,
    stopWithinMs: STOP_WITHIN_MS,
  });
}
