import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageStorage } from '#api/storage/image-storage.ts';

const AGE_MAX_MS = 60_000;
/** How long a call waits for a measurement, which takes minutes for millions of files. */
const WAIT_MAX_MS = 1_000;

export type StorageMeter = ReturnType<typeof createStorageMeter>;

type Measurement = { bytes: number; done: Promise<void> };

/** Adds up the sizes of the files in a storage, one file after the other to keep the load low. */
export function createStorageMeter(
  storage: Pick<ImageStorage, 'sizes'>,
  nowMs: () => number = () => performance.now(),
) {
  let latest: { bytes: number; atMs: number } | null = null;
  let running: Measurement | null = null;

  function measure(): Measurement {
    const measurement: Measurement = { bytes: 0, done: Promise.resolve() };
    measurement.done = addFiles(measurement).finally(() => {
      running = null;
    });
    measurement.done.catch(() => {});
    return measurement;
  }

  async function addFiles(measurement: Measurement): Promise<void> {
    for await (const bytes of storage.sizes()) measurement.bytes += bytes;
    measurement.bytes = Math.round(measurement.bytes);
    latest = { bytes: measurement.bytes, atMs: nowMs() };
  }

  return {
    /**
     * The bytes of all files, as of at most a minute ago. If a measurement takes more than a second: the result of the previous
     * one or, during the first one, the bytes counted so far. Throws the storage's errors until a measurement has succeeded.
     */
    async read(): Promise<number> {
      if (latest !== null && nowMs() - latest.atMs < AGE_MAX_MS) return latest.bytes;
      running ??= measure();
      const measurement = running;
      await Promise.race([measurement.done, sleep(WAIT_MAX_MS, undefined, { ref: false })]).catch(
        (error: unknown) => {
          if (latest === null) throw error;
        },
      );
      return latest?.bytes ?? Math.round(measurement.bytes);
    },
  };
}
