import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const AGE_MAX_MS = 60_000;
/** A folder of millions of files takes minutes; nobody waits for that. */
const WAIT_MAX_MS = 1_000;

export type FolderMeter = ReturnType<typeof createFolderMeter>;

type Measurement = { bytes: number; done: Promise<void> };

/** Measures `folder`, one file after the other, so that it is in nobody's way. */
export function createFolderMeter(folder: string, nowMs: () => number = () => performance.now()) {
  let known: { bytes: number; atMs: number } | null = null;
  let underWay: Measurement | null = null;

  function measure(): Measurement {
    const measurement: Measurement = { bytes: 0, done: Promise.resolve() };
    measurement.done = addFiles(measurement).finally(() => {
      underWay = null;
    });
    measurement.done.catch(() => {});
    return measurement;
  }

  async function addFiles(measurement: Measurement): Promise<void> {
    for await (const entry of await opendir(folder)) {
      if (!entry.isFile()) continue;
      // One that is gone since has no size.
      measurement.bytes += await stat(join(folder, entry.name)).then(
        ({ size, nlink }) => size / Math.max(1, nlink),
        () => 0,
      );
    }
    measurement.bytes = Math.round(measurement.bytes);
    known = { bytes: measurement.bytes, atMs: nowMs() };
  }

  return {
    /**
     * How many bytes the files in the folder have, as of a minute ago at most, or, while a longer measurement goes on,
     * as of the one before; in the first one what it has counted so far. A file with several names, as those of
     * sample polls, counts in parts, by its number of names: as a whole if all of them are in the folder.
     */
    async read(): Promise<number> {
      if (known !== null && nowMs() - known.atMs < AGE_MAX_MS) return known.bytes;
      underWay ??= measure();
      const measurement = underWay;
      await Promise.race([measurement.done, sleep(WAIT_MAX_MS, undefined, { ref: false })]);
      return known?.bytes ?? Math.round(measurement.bytes);
    },
  };
}
