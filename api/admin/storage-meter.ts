import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageStorage } from '#api/storage/image-storage.ts';

const AGE_MAX_MS = 60_000;
/** How long a call waits for a measurement, which takes minutes for millions of files. */
const WAIT_MAX_MS = 1_000;

export type StorageMeter = ReturnType<typeof createStorageMeter>;

/** Adds up the sizes of the files in a storage, one file after the other to keep the load low. */
export function createStorageMeter(
  storage: Pick<ImageStorage, 'sizes'>,
  nowMs: () => number = () => performance.now(),
) {
  let latest: { bytes: number; atMs: number } | null = null;
  let running: Promise<void> | null = null;
  /** What the running measurement has counted so far. */
  let countedBytes = 0;

  async function measure(): Promise<void> {
    countedBytes = 0;
    for await (const bytes of storage.sizes()) countedBytes += bytes;
    latest = { bytes: countedBytes, atMs: nowMs() };
  }

  return {
    /**
     * The bytes of all files, as of at most a minute ago. If a measurement takes more than a second: the result of the previous
     * one or, during the first one, the bytes counted so far. Throws the storage's errors until a measurement has succeeded.
     */
    async read(): Promise<number> {
      if (latest !== null && nowMs() - latest.atMs < AGE_MAX_MS) return latest.bytes;
      running ??= measure().finally(() => {
        running = null;
      });
      await Promise.race([running, sleep(WAIT_MAX_MS, undefined, { ref: false })]).catch((error: unknown) => {
        if (latest === null) throw error;
      });
      return latest?.bytes ?? countedBytes;
    },
  };
}
