import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageStorage } from '#api/storage/image-storage.ts';

const AGE_MAX_MS = 60_000;
/** Millions of files take minutes; nobody waits for that. */
const WAIT_MAX_MS = 1_000;

export type StorageMeter = ReturnType<typeof createStorageMeter>;

type Measurement = { bytes: number; done: Promise<void> };

/** Measures a storage, one file after the other, so that it is in nobody's way. */
export function createStorageMeter(
  storage: Pick<ImageStorage, 'sizes'>,
  nowMs: () => number = () => performance.now(),
) {
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
    for await (const bytes of storage.sizes()) measurement.bytes += bytes;
    measurement.bytes = Math.round(measurement.bytes);
    known = { bytes: measurement.bytes, atMs: nowMs() };
  }

  return {
    /**
     * How many bytes the files have, as of a minute ago at most, or, while a longer measurement goes on, as of the one before;
     * in the first one what it has counted so far. Throws the errors of the storage as long as there is no measurement.
     */
    async read(): Promise<number> {
      if (known !== null && nowMs() - known.atMs < AGE_MAX_MS) return known.bytes;
      underWay ??= measure();
      const measurement = underWay;
      await Promise.race([measurement.done, sleep(WAIT_MAX_MS, undefined, { ref: false })]).catch(
        (error: unknown) => {
          if (known === null) throw error;
        },
      );
      return known?.bytes ?? Math.round(measurement.bytes);
    },
  };
}
